package io.imexagent.kubernetes.client;

import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientImpl;
import io.imexagent.kubernetes.access.Access;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections to one server under one identity. Calls and watches hold it while they last, so that an exchange of the
 * identity ends it only when the last of them has ended.
 */
final class Session {

    private final Access access;
    private final java.net.http.HttpClient connections;
    private final HttpClient client;
    private final AtomicInteger holders;

    private Session(Access access, java.net.http.HttpClient connections, HttpClient client, AtomicInteger holders) {
        this.access = access;
        this.connections = connections;
        this.client = client;
        this.holders = holders;
    }

    /** A session, held once by its maker. No connection is made yet. */
    static Session open(Access access, Duration connectTimeout) {
        // HTTP/1.1: a server that vanished without a word blocks one connection, which the timeout of its call closes.
        // Under HTTP/2 every later call would go to the same dead connection, for the JDK's client sends no pings.
        var builder = java.net.http.HttpClient.newBuilder()
                .version(java.net.http.HttpClient.Version.HTTP_1_1)
                .connectTimeout(connectTimeout)
                .executor(threads());
        access.tls().ifPresent(builder::sslContext);
        var connections = builder.build();
        return new Session(access, connections, wrap(connections), new AtomicInteger(1));
    }

    /** The same connections under an access that differs in its token only, held once by its maker. */
    Session with(Access changed) {
        holders.incrementAndGet();
        return new Session(changed, connections, client, holders);
    }

    private static Executor threads() {
        ThreadFactory threads = Thread.ofVirtual().name("imex-api-io-", 0).factory();
        return task -> threads.newThread(task).start();
    }

    private static HttpClient wrap(java.net.http.HttpClient connections) {
        var settings = new JdkHttpClientFactory().newBuilder();
        HttpClient.Builder builder = settings;
        // No retries in here, for callers decide on them; no logging of headers, which hold tokens, at any level.
        builder.tag(new RequestConfig(0, 0, 0, 0L, 0, 0, 0, 0));
        builder.addOrReplaceInterceptor("HttpLogging", null);
        return new JdkHttpClientImpl(settings, connections, new AtomicBoolean());
    }

    /** How the server is reached. */
    Access access() {
        return access;
    }

    /** The library's client over these connections. */
    HttpClient client() {
        return client;
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
