package io.imexagent.dra.recovery;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.CdiDirectory.SpecSummary;
import io.imexagent.checkpoint.KubeletClaims;
import io.imexagent.checkpoint.KubeletDriverState;
import io.imexagent.checkpoint.KubeletDriverState.KubeletClaim;
import io.imexagent.checkpoint.TakeOverMark;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice.ReturnedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimRecall;
import io.imexagent.dra.claim.ReadClaim;
import io.imexagent.host.BootTime;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Claims;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Decides what becomes of the claims of a node whose checkpoint and backup are missing (docs/decisions/0086). A CDI spec
 * that is older than the boot, or whose claim nobody knows, is an orphan. A claim of which two of the kubelet's record, the
 * spec and the API server tell the same is taken over. What is left in doubt is no orphan: the start is refused. Changes
 * nothing. {@code root} is the folder of the host's {@code proc}, {@code driver} is called so in claims.
 */
public record MissingRecord(
        CdiDirectory specs,
        Path root,
        Path kubeletRoot,
        String driver,
        ClaimRecall recall,
        Claims api,
        InstantSource clock) {

    /** How often an API server that does not answer is asked. */
    private static final int TRIES = 3;

    private static final Duration BETWEEN = Duration.ofMillis(500);

    /**
     * What there is to do: these claims are taken over, and of the specs that were looked at those without one go; or the
     * doubts, a line for each spec. Claims that only the kubelet's record tells of are left out. Blind where containers may
     * run that none of the claims tells of.
     */
    public record RebuildPlan(
            SortedSet<ClaimUid> inspected, Ledger ledger, List<LeftOut> leftOut, boolean blind, List<String> doubts) {

        public RebuildPlan {
            inspected = Collections.unmodifiableSortedSet(new TreeSet<>(inspected));
            leftOut = List.copyOf(leftOut);
            doubts = List.copyOf(doubts);
        }

        /** The claims of these specs that nothing speaks for. */
        SortedSet<ClaimUid> orphans(SortedSet<ClaimUid> present) {
            var orphans = new TreeSet<>(present);
            orphans.removeAll(ledger.entries().keySet());
            return orphans;
        }
    }

    /** A claim of the kubelet's record that is not taken over, and why, a clause. */
    public record LeftOut(ClaimName name, ClaimUid uid, String reason) {}

    /** Decides over the claims that have a spec. An unknown boot voids nothing. Blocking, within the bounds of the API. */
    public RebuildPlan decide(SortedSet<ClaimUid> present, Optional<BootId> boot)
            throws IOException, InterruptedException {
        Optional<Instant> booted = BootTime.read(root);
        var summaries = new TreeMap<ClaimUid, SpecSummary>();
        var old = new TreeSet<ClaimUid>();
        for (ClaimUid claim : present) {
            Optional<SpecSummary> summary = specs.summary(claim);
            if (summary.filter(found -> isBefore(found.written(), booted)).isPresent()) {
                old.add(claim);
            } else {
                summary.ifPresent(found -> summaries.put(claim, found));
            }
        }
        return switch (KubeletDriverState.read(kubeletRoot, driver)) {
            case KubeletDriverState.UnknownDriverState(String reason) ->
                new RebuildPlan(
                        present,
                        Ledger.empty(boot),
                        List.of(),
                        true,
                        summaries.keySet().stream()
                                .map(claim -> specs.file(claim) + ": " + reason)
                                .toList());
            case KubeletDriverState.KnownDriverState known ->
                new RecordRebuild(known, summaries, boot).decide(present, old, booted);
        };
    }

    /** On a file system in memory nothing is older than the boot, whatever the clock says. */
    private boolean isBefore(Instant written, Optional<Instant> booted) {
        try {
            return booted.filter(written::isBefore).isPresent() && !BootTime.endsWithTheBoot(specs.directory());
        } catch (IOException unreadable) {
            return false;
        }
    }

    /** One decision under way: what was taken over so far, and what is in doubt. */
    private final class RecordRebuild {

        private final KubeletDriverState.KnownDriverState known;
        private final Map<ClaimUid, SpecSummary> summaries;
        private final Optional<BootId> boot;
        private final List<String> doubts = new ArrayList<>();
        private final List<LeftOut> leftOut = new ArrayList<>();
        private Ledger ledger;

        /** Why the API server does not answer; empty as long as it does. */
        private Optional<String> away = Optional.empty();

        RecordRebuild(
                KubeletDriverState.KnownDriverState known,
                Map<ClaimUid, SpecSummary> summaries,
                Optional<BootId> boot) {
            this.known = known;
            this.summaries = summaries;
            this.boot = boot;
            this.ledger = Ledger.empty(boot);
        }

        RebuildPlan decide(SortedSet<ClaimUid> present, Set<ClaimUid> old, Optional<Instant> booted)
                throws InterruptedException {
            var claims = new TreeSet<>(summaries.keySet());
            if (booted.filter(known.written()::isBefore).isEmpty()) {
                // Written in this boot: also those whose spec is gone. One whose spec is of an earlier boot is void.
                known.claims().forEach((claim, recorded) -> {
                    if (!recorded.devices().isEmpty() && !old.contains(claim)) {
                        claims.add(claim);
                    }
                });
            }
            for (ClaimUid claim : claims) {
                Optional<KubeletClaim> recorded =
                        Optional.ofNullable(known.claims().get(claim));
                if (recorded.isEmpty()) {
                    unknown(claim);
                } else if (!recorded.get().devices().isEmpty()) {
                    rebuild(claim, recorded.get());
                }
                // A kubelet that has no answer starts no container, and asks again.
            }
            for (ClaimEntry.Completed taken : ledger.completed()) {
                recall.disputed(taken, ledger).ifPresent(why -> doubt(taken.uid(), why));
            }
            return new RebuildPlan(present, ledger, leftOut, claims.isEmpty() || !accounted(), doubts);
        }

        /** A spec whose claim the kubelet does not have. */
        private void unknown(ClaimUid claim) {
            Optional<SpecSummary> summary = Optional.ofNullable(summaries.get(claim));
            SortedSet<String> devices = summary.map(SpecSummary::devices).orElseGet(Collections::emptySortedSet);
            Optional<String> held;
            try {
                held = recall.heldElsewhere(devices, boot);
            } catch (ApiException failure) {
                held = Optional.of("the kubelet does not know its claim, and whether this node holds its devices is not"
                        + " known: " + failure.failure().message());
            }
            // A kubelet records a claim before it calls the driver for it.
            held.or(() -> summary.filter(found -> found.written().isAfter(known.written()))
                            .map(found -> "the kubelet's record " + kubeletRoot.resolve(KubeletClaims.FILE)
                                    + " does not know its claim, but is older than the spec, so it may not be that of the"
                                    + " kubelet that runs"))
                    .ifPresent(why -> doubt(claim, why));
        }

        /** A claim that the kubelet was answered for. */
        private void rebuild(ClaimUid claim, KubeletClaim recorded) throws InterruptedException {
            Outcome<Optional<ClaimStatus>> read = read(new ClaimRef(recorded.name(), claim));
            Optional<SpecSummary> summary = Optional.ofNullable(summaries.get(claim));
            boolean specAgrees = summary.filter(found -> found.devices().equals(cdiDevices(recorded.devices())))
                    .isPresent();
            boolean reaches = recorded.devices().stream().anyMatch(ReturnedDevice::reachesContainers);
            Optional<ClaimStatus> status = read.toOptional().flatMap(found -> found);
            if (status.isEmpty() && summary.isEmpty() && reaches) {
                withoutSpec(claim, recorded, silence(read), away.isPresent());
                return;
            }
            if (summary.isPresent() && !specAgrees && (status.isEmpty() || !reaches)) {
                doubt(
                        claim,
                        "the kubelet was given " + cdiDevices(recorded.devices()) + " for claim " + recorded.name()
                                + ", the spec has " + summary.get().devices()
                                + (status.isEmpty() ? ", and " + silence(read) : ""));
                return;
            }
            switch (groups(claim, recorded, status, summary.isPresent())) {
                case Outcome.Refused<List<PreparedGroup>>(Refusal reason) -> {
                    if (summary.isPresent()) {
                        doubt(claim, "claim " + recorded.name() + ": " + reason.message());
                    } else {
                        withoutSpec(claim, recorded, reason.message(), reason.code() == RefusalCode.API_UNAVAILABLE);
                    }
                }
                case Outcome.Accepted<List<PreparedGroup>>(List<PreparedGroup> groups) -> {
                    ClaimStatus found = status.map(one -> one.ofDriver(driver))
                            .orElse(new ClaimStatus(Optional.empty(), List.of(), List.of()));
                    ledger = ledger.with(new ClaimEntry.Completed(
                            claim,
                            Optional.of(recorded.name()),
                            TakeOverMark.on(found, driver, recorded.devices(), clock.instant()),
                            groups));
                }
            }
        }

        /**
         * A claim of the kubelet's record alone is left out, since whoever deletes a spec says that nothing uses it any more.
         * What an API server might still say of it is waited for.
         */
        private void withoutSpec(ClaimUid claim, KubeletClaim recorded, String why, boolean mayChange) {
            if (mayChange) {
                doubt(claim, "claim " + recorded.name() + " of the kubelet's record has no CDI spec, and " + why);
            } else {
                leftOut.add(new LeftOut(recorded.name(), claim, why));
            }
        }

        /** Why there is no status, a clause. */
        private String silence(Outcome<Optional<ClaimStatus>> read) {
            return away.or(() -> read.refusal()
                            .filter(refusal -> refusal.code() != RefusalCode.CLAIM_NOT_FOUND)
                            .map(refusal -> "the API server tells nothing of use: " + refusal.message()))
                    .orElse("the API server does not know the claim any more");
        }

        private Outcome<List<PreparedGroup>> groups(
                ClaimUid claim, KubeletClaim recorded, Optional<ClaimStatus> status, boolean spec) {
            try {
                Outcome<List<PreparedGroup>> recalled = recall.recall(claim, recorded.devices(), status, boot)
                        .refuseIf(groups -> contradiction(groups, recorded));
                Optional<List<PreparedGroup>> groups = recalled.toOptional();
                Optional<String> unproven =
                        spec || groups.isEmpty() ? Optional.empty() : recall.unproven(groups.get(), boot);
                return unproven.isPresent() ? Outcome.refused(RefusalCode.CLAIM_UNREADABLE, unproven.get()) : recalled;
            } catch (ApiException failure) {
                return Outcome.refused(
                        RefusalCode.API_UNAVAILABLE, failure.failure().message());
            }
        }

        /** The request may carry the chosen subrequest; the kubelet gets only the part before the slash. */
        private Optional<Refusal> contradiction(List<PreparedGroup> groups, KubeletClaim recorded) {
            List<ReturnedDevice> given = groups.stream()
                    .flatMap(group -> group.devices().stream())
                    .map(device -> withoutRequests(device.returned()))
                    .toList();
            List<ReturnedDevice> answered = recorded.devices().stream()
                    .map(MissingRecord::withoutRequests)
                    .toList();
            return given.size() == answered.size() && answered.containsAll(given)
                    ? Optional.empty()
                    : Optional.of(new Refusal(
                            RefusalCode.CLAIM_UNREADABLE,
                            "the kubelet was given " + answered + ", and the API server says " + given));
        }

        /** The claim's status; accepted and empty where the API server does not know the claim, or does not answer. */
        private Outcome<Optional<ClaimStatus>> read(ClaimRef ref) throws InterruptedException {
            for (int tried = 0; tried < TRIES && away.isEmpty(); tried++) {
                try {
                    return ReadClaim.of(api, ref).map(claim -> Optional.of(claim.status()));
                } catch (ApiException failure) {
                    if (failure.failure().kind() == ApiFailure.FailureKind.NO_RELATIONSHIP) {
                        break;
                    }
                    if (tried == TRIES - 1) {
                        away = Optional.of(fault(failure.failure().kind())
                                + failure.failure().message());
                    } else {
                        Thread.sleep(BETWEEN);
                    }
                }
            }
            return Outcome.accepted(Optional.empty());
        }

        private boolean accounted() {
            try {
                return doubts.isEmpty() && recall.accountsFor(ledger, boot);
            } catch (ApiException unreadable) {
                return false;
            }
        }

        private void doubt(ClaimUid claim, String why) {
            doubts.add(
                    (summaries.containsKey(claim) ? specs.file(claim).toString() : "claim uid " + claim) + ": " + why);
        }
    }

    private static String fault(ApiFailure.FailureKind kind) {
        return switch (kind) {
            case UNREACHABLE, TIMEOUT, THROTTLED, SERVER_ERROR -> "the API server does not answer: ";
            case UNAUTHORIZED, FORBIDDEN, OTHER_NODE, ADMISSION, QUOTA, NAMESPACE_ENDING, NO_RELATIONSHIP ->
                "the API server refuses to tell the agent: ";
            case NO_KUBECONFIG -> "the API server cannot be asked: ";
            case NOT_FOUND, CONFLICT, GONE, INVALID, UNREADABLE, UNSUPPORTED ->
                "the API server does not tell what it knows of the claim: ";
        };
    }

    private static ReturnedDevice withoutRequests(ReturnedDevice handed) {
        return new ReturnedDevice(List.of(), handed.pool(), handed.device(), handed.cdiDeviceIds(), handed.shareId());
    }

    /** The names of the CDI devices, without their kind. */
    private static SortedSet<String> cdiDevices(List<ReturnedDevice> devices) {
        return devices.stream()
                .flatMap(device -> device.cdiDeviceIds().stream())
                .map(id -> id.substring(id.indexOf('=') + 1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
