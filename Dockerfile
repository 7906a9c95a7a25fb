# Go and fdebug, with a standard library that is compiled, and the recorder in it:
#
#	docker build -t fdebug .
#	docker run --rm -v "$PWD:/src" -u "$(id -u)" fdebug run ./... -n 50
FROM golang:1.26 AS build
WORKDIR /fdebug
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /usr/local/bin/fdebug ./cmd/fdebug

FROM golang:1.26
COPY --from=build /usr/local/bin/fdebug /usr/local/bin/fdebug
# A module that is mounted belongs to another user than git expects.
RUN git config --system --add safe.directory '*' && useradd --create-home gopher
USER gopher
ENV HOME=/home/gopher
COPY examples /tmp/examples
# Examples fail, which is what they are for. All that was built stays in the caches, for any user.
RUN (fdebug -C /tmp/examples run ./... -n 20 -experiments 20s -o /tmp/out || test $? -eq 1) && \
    rm -r /tmp/out && chmod -R a+rwX "$HOME"
WORKDIR /src
ENTRYPOINT ["fdebug"]
