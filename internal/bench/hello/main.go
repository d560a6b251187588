// Command hello is the floor of a cold start: a Go program that prints one line.
package main

import "fmt"

func main() { fmt.Println("hello") }
