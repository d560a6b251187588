resource "aws_db_proxy_default_target_group" "litellm" {
  db_proxy_name = aws_db_proxy.litellm.name

  connection_pool_config {
    max_connections_percent      = 90 # of the instance class, not a number of connections
    max_idle_connections_percent = 40
    connection_borrow_timeout    = 30
  }
}

resource "aws_rds_cluster_parameter_group" "litellm" {
  name   = "litellm"
  family = "aurora-postgresql17"

  parameter {
    name  = "idle_in_transaction_session_timeout"
    value = "60000"
  }
}
