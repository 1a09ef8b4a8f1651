package io.imexagent.controller.work;

import io.imexagent.controller.plan.LedgerEntry;
import io.imexagent.controller.plan.Names;
import io.imexagent.controller.plan.Step;
import io.imexagent.controller.state.ClusterState;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.ControlPlane;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateObject;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Makes the call of a step, and tells what is known of its answer. Decides nothing. */
final class Performer {

    private final ControlPlane cluster;
    private final ClusterState state;
    private final InstantSource clock;

    Performer(ControlPlane cluster, ClusterState state, InstantSource clock) {
        this.cluster = cluster;
        this.state = state;
        this.clock = clock;
    }

    /** Performs a step; where the server knows of claims that forbid it, they become known, and nothing is done. */
    void perform(Step step) throws ApiException {
        switch (step) {
            case Step.SetFinalizers set -> {
                Optional<DomainObject> now = cluster.setFinalizers(set.domain(), set.finalizers());
                now.ifPresentOrElse(state::put, () -> state.removed(set.domain()));
            }
            case Step.SetStatus set -> setStatus(set);
            case Step.CreateTemplate create -> state.put(cluster.create(create.draft()));
            case Step.MendTemplate mend -> {
                Optional<TemplateObject> now = cluster.mend(mend.template(), mend.labels(), mend.finalizers());
                now.ifPresentOrElse(state::put, () -> state.removed(mend.template()));
            }
            case Step.DeleteTemplate delete -> delete(delete);
            case Step.TakeChannel take -> take(take);
            case Step.ReleaseChannel release -> release(release);
            case Step.ConfirmGone confirm -> {
                Optional<DomainObject> found = cluster.find(confirm.uid(), confirm.namespace());
                found.ifPresentOrElse(state::put, () -> state.confirmGone(confirm.uid()));
            }
        }
    }

    private void setStatus(Step.SetStatus set) throws ApiException {
        DomainObject now = cluster.setStatus(set.domain(), set.ready(), set.channel());
        state.put(now);
        if (!now.channel().equals(set.channel())) {
            throw new ApiException(new ApiFailure(
                    ApiFailure.Kind.INVALID,
                    "the API server dropped status.channel of ComputeDomain " + now.ref()
                            + ": its CustomResourceDefinition is an older one; apply what imex-agent manifests prints",
                    Optional.empty()));
        }
    }

    private void delete(Step.DeleteTemplate delete) throws ApiException {
        TemplateObject template = delete.template();
        if (delete.unlessClaimsOf().isPresent()
                && live(delete.unlessClaimsOf().get(), template.ref().namespace(), claim -> true)) {
            return;
        }
        cluster.delete(template).ifPresentOrElse(state::put, () -> state.removed(template));
    }

    private void take(Step.TakeChannel take) throws ApiException {
        var content = LedgerEntry.taken(take.domain(), clock.instant(), take.over());
        state.put(
                take.over().isPresent()
                        ? cluster.leases().replace(take.over().get().lease(), content)
                        : cluster.leases().create(Names.entry(take.channel()), content));
    }

    private void release(Step.ReleaseChannel release) throws ApiException {
        LedgerEntry entry = release.entry();
        if (release.namespace().isPresent() && entry.owner().isPresent()) {
            var owner = new ComputeDomainUid(entry.owner().get());
            if (usesLive(entry, owner, release.namespace().get())) {
                return;
            }
        }
        if (release.fence().isPresent()) {
            state.put(cluster.annotate(release.fence().get(), Names.RELEASED, entry.state()));
        }
        state.put(cluster.leases().replace(entry.lease(), entry.released(clock.instant())));
    }

    private boolean usesLive(LedgerEntry entry, ComputeDomainUid owner, String namespace) throws ApiException {
        // A surplus channel of a living ComputeDomain has none of its claims; all others belong to the counted one.
        boolean surplus =
                state.view(owner.value()).map(view -> !view.domain().deleting()).orElse(false);
        return live(owner, namespace, claim -> !surplus || claim.channels().contains(entry.channel()));
    }

    private boolean live(ComputeDomainUid owner, String namespace, Predicate<ClaimUse> counts) throws ApiException {
        List<ClaimUse> live = cluster.claims(namespace).stream()
                .filter(claim -> claim.domains().contains(owner.value()) && counts.test(claim))
                .toList();
        live.forEach(state::put);
        return !live.isEmpty();
    }
}
