package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.access.Access;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;

/**
 * Connections to one server under one identity. One that was exchanged for another goes on for calls and watches that are
 * under way, and is shut down a while later: the JDK ends an {@link HttpClient} that was shut down with the last of them.
 *
 * @param access how the server is reached
 * @param connections the connections
 */
record Session(Access access, HttpClient connections) {

    /** A session that has no connection yet. */
    static Session open(Access access, Duration connectTimeout) {
        ThreadFactory threads = Thread.ofVirtual().name("imex-api-io-", 0).factory();
        // HTTP/1.1: a server that vanished without a word blocks one connection, which the timeout of its call closes.
        // Under HTTP/2 every later call would go to the same dead connection, for the JDK's client sends no pings.
        var builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(connectTimeout)
                .executor(task -> threads.newThread(task).start());
        access.tls().ifPresent(builder::sslContext);
        return new Session(access, builder.build());
    }

    /** Sends a request and waits for the head of the response; the body then comes in. */
    HttpResponse<ResponseBody> send(HttpRequest request) throws IOException, InterruptedException {
        return connections.send(request, head -> new ResponseBody());
    }
}
