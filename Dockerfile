# The image of a release; goreleaser puts the program of each platform beside this file.
FROM scratch
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/agentlint /agentlint
USER 65534:65534
WORKDIR /src
ENTRYPOINT ["/agentlint"]
