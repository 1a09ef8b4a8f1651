package io.imexagent.kubernetes;

import io.imexagent.kubernetes.KubernetesApi.State;
import java.util.Map;

/** What the agent's client and the controller's do alike, over one transport. */
abstract class HttpApi implements ApiClient {

    final Transport transport;
    final RateLimiter calls;
    final RateLimiter lists;
    private final Reviews reviews;

    /** {@code calls} bounds what others wait for, {@code lists} lists and watches. */
    HttpApi(Transport transport, RateLimiter calls, RateLimiter lists, RateLimiter reviews) {
        this.transport = transport;
        this.calls = calls;
        this.lists = lists;
        this.reviews = new HttpReviews(transport, reviews);
    }

    @Override
    public HttpFabric fabric() {
        return new HttpFabric(transport, calls, lists);
    }

    @Override
    public Reviews reviews() {
        return reviews;
    }

    @Override
    public Map<String, UnreadObjects> unread() {
        return transport.unread();
    }

    @Override
    public State state() {
        return transport.state();
    }

    @Override
    public void close() {
        transport.close();
    }
}
