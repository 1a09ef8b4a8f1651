package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.controller.LeaderElection;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.object.ResourceType;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/** Many ComputeDomains at an API double: made and deleted as users do, awaited, and the calls for them counted. */
public final class DomainLoad {

    private static final int NAMESPACES = 50;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final ApiDouble api;

    public DomainLoad(ApiDouble api) {
        this.api = api;
    }

    /** Makes a ComputeDomain as a user does: without finalizer and status. */
    public void create(int number) {
        ObjectNode domain = Fixtures.computeDomain(namespace(number), name(number), Fixtures.uid(number), name(number));
        domain.withObject("/metadata").remove("finalizers");
        domain.putObject("status").put("status", "NotReady");
        api.apply(domain);
    }

    /** Deletes a ComputeDomain as a user does. */
    public void delete(int number) {
        api.edit(
                ResourceType.COMPUTE_DOMAINS,
                namespace(number),
                name(number),
                domain -> domain.withObject("/metadata").put("deletionTimestamp", "2026-11-21T12:00:00Z"));
    }

    /** Whether the controller says that it is ready. */
    public boolean ready(int number) {
        return api.get(ResourceType.COMPUTE_DOMAINS, namespace(number), name(number))
                .filter(DomainLoad::ready)
                .isPresent();
    }

    /** Whether so many are ready; looks at the objects only once as many statuses were written since counting began. */
    public boolean allReady(int domains) {
        return api.requests().count("patch", "computedomains/status") >= domains
                && api.list(ResourceType.COMPUTE_DOMAINS).stream()
                                .filter(DomainLoad::ready)
                                .count()
                        == domains;
    }

    /** Whether no more than so many objects are left; looks only once so many finalizers were written. */
    public boolean allGone(int domains, int rest) {
        return api.requests().count("patch", "computedomains") >= domains && remaining() <= rest;
    }

    private static boolean ready(ObjectNode domain) {
        return domain.at("/status/status").asText().equals("Ready");
    }

    public int remaining() {
        return api.list(ResourceType.COMPUTE_DOMAINS).size()
                + api.list(ResourceType.RESOURCE_CLAIM_TEMPLATES).size();
    }

    /** Begins to count calls. */
    public void count() {
        api.requests().clear();
    }

    /** All requests of any verb since counting began, but for those of {@link #election}. */
    public int calls() {
        return api.requests().counts().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum()
                - election();
    }

    /** The looks at the Lease of the election and its renewals since counting began; they go on whatever happens. */
    public int election() {
        return api.requests().count("get", "leases", LeaderElection.LEASE)
                + api.requests().count("update", "leases", LeaderElection.LEASE);
    }

    /** Waits until something holds, for five minutes at most; the time that it took, in seconds. */
    public static double await(BooleanSupplier holds) throws InterruptedException {
        long begun = System.nanoTime();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                throw new IllegalStateException("not within " + PATIENCE);
            }
            Thread.sleep(250);
        }
        return (System.nanoTime() - begun) / 1e9;
    }

    private static String namespace(int number) {
        return "team-" + number % NAMESPACES;
    }

    private static String name(int number) {
        return String.format(Locale.ROOT, "domain-%05d", number);
    }
}
