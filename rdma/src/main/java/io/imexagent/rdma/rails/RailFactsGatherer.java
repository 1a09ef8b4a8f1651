package io.imexagent.rdma.rails;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.dra.claim.ClaimFacts;
import io.imexagent.dra.claim.ClaimFacts.ClaimLookup;
import io.imexagent.dra.claim.ClaimFacts.DomainLookup;
import io.imexagent.dra.claim.ClaimFacts.PodLookup;
import io.imexagent.dra.claim.ClaimGatherer;
import io.imexagent.dra.claim.Gathered;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.Pods;
import io.imexagent.rdma.dra.RailConfig;
import io.imexagent.rdma.dra.RailDemand;
import io.imexagent.rdma.dra.RailDemandReader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Asks Kubernetes about a claim for rails: its object, and where an interface is to move its pod. What the container
 * runtime can do is asked at the same time.
 */
public final class RailFactsGatherer implements ClaimGatherer {

    private final Claims claims;
    private final Pods pods;
    private final RailDemandReader demands;
    private final RuntimeProbe runtime;

    /**
     * A gatherer.
     *
     * @param claims asks for claims; may be slow
     * @param pods asks for pods; may be slow
     * @param node the name of this node, also of its pool
     * @param runtime asks the container runtime
     */
    public RailFactsGatherer(Claims claims, Pods pods, String node, RuntimeProbe runtime) {
        this.claims = claims;
        this.pods = pods;
        this.demands = new RailDemandReader(node, RailConfigDecoder::decode);
        this.runtime = runtime;
    }

    @Override
    public Gathered gather(ClaimRef ref) {
        try {
            ClaimLookup claim = ClaimGatherer.claim(claims, ref);
            return new Gathered(
                    new ClaimFacts(ref, claim, new DomainLookup.NotAsked(), pod(ref, claim)), Duration.ZERO);
        } catch (ApiException e) {
            return new Gathered(
                    new ClaimFacts(ref, new ClaimLookup.Failed(e.failure().message()), new DomainLookup.NotAsked()),
                    e.failure().retryAfter().orElse(Duration.ZERO));
        }
    }

    private PodLookup pod(ClaimRef ref, ClaimLookup claim) {
        if (!(claim instanceof ClaimLookup.Found found)
                || !(demands.read(found.status()) instanceof RailDemand.Rails demand)
                || demand.config().mode() != RailConfig.Mode.NETDEV) {
            return new PodLookup.NotAsked();
        }
        var _ = runtime.look();
        List<ClaimStatus.ConsumerReference> users = found.status().reservedFor();
        if (users.size() != 1 || !users.getFirst().resource().equals("pods")) {
            return new PodLookup.NotOne("the claim is reserved for " + users.size() + " users");
        }
        return pod(ref, users.getFirst());
    }

    private PodLookup pod(ClaimRef ref, ClaimStatus.ConsumerReference user) {
        try {
            Optional<Pods.PodObject> pod = pods.get(ref.name().namespace(), user.name());
            return pod.filter(one -> one.uid().equals(user.uid()))
                    .<PodLookup>map(one -> new PodLookup.Found(
                            user.name(),
                            one.hostNetwork(),
                            one.users().getOrDefault(ref.name().name(), 0)))
                    .orElseGet(() -> new PodLookup.NotOne("pod " + user.name() + " is gone"));
        } catch (ApiException e) {
            return new PodLookup.Failed(e.failure().message());
        }
    }
}
