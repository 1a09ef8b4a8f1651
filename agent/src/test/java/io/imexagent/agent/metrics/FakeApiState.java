package io.imexagent.agent.metrics;

import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.GroupPods;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.kubernetes.Pods;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.Slices;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.clique.FabricObjects;
import java.util.Map;

/** An API server of which only the state is asked. */
final class FakeApiState implements KubernetesApi {

    private volatile ApiState state = new ApiState.ApiUntried();
    private volatile Map<String, UnreadObjects> unread = Map.of();

    void set(ApiState changed) {
        state = changed;
    }

    void set(Map<String, UnreadObjects> changed) {
        unread = changed;
    }

    @Override
    public Map<String, UnreadObjects> unread() {
        return unread;
    }

    @Override
    public Reviews reviews() {
        throw new AssertionError("metrics call nobody");
    }

    @Override
    public ApiState state() {
        return state;
    }

    @Override
    public String verify() {
        throw new AssertionError("metrics call nobody");
    }

    @Override
    public Claims claims() {
        throw new AssertionError("metrics call nobody");
    }

    @Override
    public FabricObjects fabric() {
        throw new AssertionError("metrics call nobody");
    }

    @Override
    public ComputeDomains domains() {
        throw new AssertionError("metrics call nobody");
    }

    @Override
    public Slices slices(String driver, String nodeName) {
        throw new AssertionError("metrics call nobody");
    }

    @Override
    public Events events() {
        throw new AssertionError("metrics call nobody");
    }

    @Override
    public Pods pods() {
        throw new AssertionError("metrics call nobody");
    }

    @Override
    public GroupPods groupPods(String nodeName) {
        throw new AssertionError("metrics call nobody");
    }

    @Override
    public Nodes nodes() {
        throw new AssertionError("metrics call nobody");
    }

    @Override
    public void close() {}
}
