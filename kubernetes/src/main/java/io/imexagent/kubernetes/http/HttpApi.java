package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiClient;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.KubernetesApi.ApiState;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.UnreadObjects;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/** The common part of the clients of agent and controller, over one transport. */
abstract class HttpApi implements ApiClient {

    final Transport transport;
    final Reflectors reflectors;
    final RateLimiter calls;
    final RateLimiter lists;
    private final Reviews reviews;
    private final Events events;

    /**
     * Creates a client. {@code calls} limits the calls that others wait for, {@code lists} the lists and watches,
     * {@code rest} the Events and reviews.
     */
    HttpApi(
            Transport transport,
            DoubleSupplier random,
            RateLimiter calls,
            RateLimiter lists,
            RateLimiter rest,
            String component,
            Optional<String> instance) {
        this.transport = transport;
        this.reflectors = new Reflectors(transport, random);
        this.calls = calls;
        this.lists = lists;
        this.reviews = new HttpReviews(transport, rest);
        this.events = new HttpEvents(transport, rest, component, instance);
    }

    @Override
    public HttpFabric fabric() {
        return new HttpFabric(transport, reflectors, calls, lists);
    }

    @Override
    public Events events() {
        return events;
    }

    @Override
    public Reviews reviews() {
        return reviews;
    }

    @Override
    public Map<String, UnreadObjects> unread() {
        return reflectors.unread();
    }

    @Override
    public ApiState state() {
        return transport.state();
    }

    @Override
    public void close() {
        reflectors.close();
        transport.close();
    }
}
