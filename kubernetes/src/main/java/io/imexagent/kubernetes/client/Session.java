package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.access.Access;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections to one server under one identity. Calls and watches hold it while they last, so that an exchange of the
 * identity ends it only when the last of them has ended.
 */
final class Session {

    private final Access access;
    private final HttpClient connections;
    private final AtomicInteger holders;

    private Session(Access access, HttpClient connections, AtomicInteger holders) {
        this.access = access;
        this.connections = connections;
        this.holders = holders;
    }

    /** A session, held once by its maker. No connection is made yet. */
    static Session open(Access access, Duration connectTimeout) {
        ThreadFactory threads = Thread.ofVirtual().name("imex-api-io-", 0).factory();
        Executor executor = task -> threads.newThread(task).start();
        // HTTP/1.1: a server that vanished without a word blocks one connection, which the timeout of its call closes.
        // Under HTTP/2 every later call would go to the same dead connection, for the JDK's client sends no pings.
        var builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(connectTimeout)
                .executor(executor);
        access.tls().ifPresent(builder::sslContext);
        return new Session(access, builder.build(), new AtomicInteger(1));
    }

    /** The same connections under an access that differs in its token only, held once by its maker. */
    Session with(Access changed) {
        holders.incrementAndGet();
        return new Session(changed, connections, holders);
    }

    /** Sends a request and waits for the head of the response; the body then comes in. */
    HttpResponse<ResponseBody> send(HttpRequest request) throws IOException, InterruptedException {
        return connections.send(request, head -> new ResponseBody());
    }

    /** How the server is reached. */
    Access access() {
        return access;
    }

    /** Holds the session for one more; false where it has ended. */
    boolean hold() {
        return holders.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Lets go of the session; the last one ends its connections. */
    void release() {
        if (holders.decrementAndGet() == 0) {
            connections.shutdown();
        }
    }

    /** Ends all connections, and what goes over them. */
    void abort() {
        connections.shutdownNow();
    }
}
