package io.imexagent.dra.recovery;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.CdiDirectory.SpecSight;
import io.imexagent.checkpoint.KubeletAnswers;
import io.imexagent.checkpoint.KubeletAnswers.Told;
import io.imexagent.checkpoint.KubeletClaims;
import io.imexagent.checkpoint.TakeOverMark;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice.Handed;
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
    public record Decision(
            SortedSet<ClaimUid> looked, Ledger ledger, List<LeftOut> leftOut, boolean blind, List<String> doubts) {

        public Decision {
            looked = Collections.unmodifiableSortedSet(new TreeSet<>(looked));
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
    public Decision decide(SortedSet<ClaimUid> present, Optional<BootId> boot)
            throws IOException, InterruptedException {
        Optional<Instant> booted = BootTime.read(root);
        var sights = new TreeMap<ClaimUid, SpecSight>();
        var old = new TreeSet<ClaimUid>();
        for (ClaimUid claim : present) {
            Optional<SpecSight> sight = specs.look(claim);
            if (sight.filter(found -> isBefore(found.written(), booted)).isPresent()) {
                old.add(claim);
            } else {
                sight.ifPresent(found -> sights.put(claim, found));
            }
        }
        return switch (KubeletAnswers.read(kubeletRoot, driver)) {
            case KubeletAnswers.Unknown(String reason) ->
                new Decision(
                        present,
                        Ledger.empty(boot),
                        List.of(),
                        true,
                        sights.keySet().stream()
                                .map(claim -> specs.file(claim) + ": " + reason)
                                .toList());
            case KubeletAnswers.Known known -> new Looking(known, sights, boot).decide(present, old, booted);
        };
    }

    /** On a file system in memory nothing is older than the boot, whatever the clock says. */
    private boolean isBefore(Instant written, Optional<Instant> booted) {
        try {
            return booted.filter(written::isBefore).isPresent() && !BootTime.endsWithTheBoot(specs.directory());
        } catch (IOException untold) {
            return false;
        }
    }

    /** One decision under way: what was taken over so far, and what is in doubt. */
    private final class Looking {

        private final KubeletAnswers.Known known;
        private final Map<ClaimUid, SpecSight> sights;
        private final Optional<BootId> boot;
        private final List<String> doubts = new ArrayList<>();
        private final List<LeftOut> leftOut = new ArrayList<>();
        private Ledger ledger;

        /** Why the API server does not answer; empty as long as it does. */
        private Optional<String> away = Optional.empty();

        Looking(KubeletAnswers.Known known, Map<ClaimUid, SpecSight> sights, Optional<BootId> boot) {
            this.known = known;
            this.sights = sights;
            this.boot = boot;
            this.ledger = Ledger.empty(boot);
        }

        Decision decide(SortedSet<ClaimUid> present, Set<ClaimUid> old, Optional<Instant> booted)
                throws InterruptedException {
            var claims = new TreeSet<>(sights.keySet());
            if (booted.filter(known.written()::isBefore).isEmpty()) {
                // Written in this boot: also those whose spec is gone. One whose spec is of an earlier boot is void.
                known.claims().forEach((claim, told) -> {
                    if (!told.devices().isEmpty() && !old.contains(claim)) {
                        claims.add(claim);
                    }
                });
            }
            for (ClaimUid claim : claims) {
                Optional<Told> told = Optional.ofNullable(known.claims().get(claim));
                if (told.isEmpty()) {
                    unknown(claim);
                } else if (!told.get().devices().isEmpty()) {
                    told(claim, told.get());
                }
                // A kubelet that has no answer starts no container, and asks again.
            }
            for (ClaimEntry.Completed taken : ledger.completed()) {
                recall.disputed(taken, ledger).ifPresent(why -> doubt(taken.uid(), why));
            }
            return new Decision(present, ledger, leftOut, claims.isEmpty() || !accounted(), doubts);
        }

        /** A spec whose claim the kubelet does not have. */
        private void unknown(ClaimUid claim) {
            Optional<SpecSight> sight = Optional.ofNullable(sights.get(claim));
            SortedSet<String> devices = sight.map(SpecSight::devices).orElseGet(Collections::emptySortedSet);
            Optional<String> held;
            try {
                held = recall.heldElsewhere(devices, boot);
            } catch (ApiException failure) {
                held = Optional.of("the kubelet does not know its claim, and whether this node holds its devices is not"
                        + " known: " + failure.failure().message());
            }
            // A kubelet records a claim before it calls the driver for it.
            held.or(() -> sight.filter(found -> found.written().isAfter(known.written()))
                            .map(found -> "the kubelet's record " + kubeletRoot.resolve(KubeletClaims.FILE)
                                    + " does not know its claim, but is older than the spec, so it may not be that of the"
                                    + " kubelet that runs"))
                    .ifPresent(why -> doubt(claim, why));
        }

        /** A claim that the kubelet was answered for. */
        private void told(ClaimUid claim, Told told) throws InterruptedException {
            Outcome<Optional<ClaimStatus>> read = read(new ClaimRef(told.name(), claim));
            Optional<SpecSight> sight = Optional.ofNullable(sights.get(claim));
            boolean specAgrees = sight.filter(found -> found.devices().equals(cdiDevices(told.devices())))
                    .isPresent();
            boolean reaches = told.devices().stream().anyMatch(Handed::reachesContainers);
            Optional<ClaimStatus> status = read.toOptional().flatMap(found -> found);
            if (status.isEmpty() && sight.isEmpty() && reaches) {
                withoutSpec(claim, told, silence(read), away.isPresent());
                return;
            }
            if (sight.isPresent() && !specAgrees && (status.isEmpty() || !reaches)) {
                doubt(
                        claim,
                        "the kubelet was given " + cdiDevices(told.devices()) + " for claim " + told.name()
                                + ", the spec has " + sight.get().devices()
                                + (status.isEmpty() ? ", and " + silence(read) : ""));
                return;
            }
            switch (groups(claim, told, status, sight.isPresent())) {
                case Outcome.Refused<List<PreparedGroup>>(Refusal reason) -> {
                    if (sight.isPresent()) {
                        doubt(claim, "claim " + told.name() + ": " + reason.message());
                    } else {
                        withoutSpec(claim, told, reason.message(), reason.code() == RefusalCode.API_UNAVAILABLE);
                    }
                }
                case Outcome.Accepted<List<PreparedGroup>>(List<PreparedGroup> groups) -> {
                    ClaimStatus found = status.map(one -> one.ofDriver(driver))
                            .orElse(new ClaimStatus(Optional.empty(), List.of(), List.of()));
                    ledger = ledger.with(new ClaimEntry.Completed(
                            claim,
                            Optional.of(told.name()),
                            TakeOverMark.on(found, driver, told.devices(), clock.instant()),
                            groups));
                }
            }
        }

        /**
         * A claim of the kubelet's record alone is left out, since whoever deletes a spec says that nothing uses it any more.
         * What an API server might still say of it is waited for.
         */
        private void withoutSpec(ClaimUid claim, Told told, String why, boolean mayChange) {
            if (mayChange) {
                doubt(claim, "claim " + told.name() + " of the kubelet's record has no CDI spec, and " + why);
            } else {
                leftOut.add(new LeftOut(told.name(), claim, why));
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
                ClaimUid claim, Told told, Optional<ClaimStatus> status, boolean spec) {
            try {
                Outcome<List<PreparedGroup>> recalled = recall.recall(claim, told.devices(), status, boot)
                        .unless(groups -> contradiction(groups, told));
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
        private Optional<Refusal> contradiction(List<PreparedGroup> groups, Told told) {
            List<Handed> given = groups.stream()
                    .flatMap(group -> group.devices().stream())
                    .map(device -> withoutRequests(device.handed()))
                    .toList();
            List<Handed> answered =
                    told.devices().stream().map(MissingRecord::withoutRequests).toList();
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
                    if (failure.failure().kind() == ApiFailure.Kind.NO_RELATIONSHIP) {
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
            } catch (ApiException untold) {
                return false;
            }
        }

        private void doubt(ClaimUid claim, String why) {
            doubts.add((sights.containsKey(claim) ? specs.file(claim).toString() : "claim uid " + claim) + ": " + why);
        }
    }

    private static String fault(ApiFailure.Kind kind) {
        return switch (kind) {
            case UNREACHABLE, TIMEOUT, THROTTLED, SERVER_ERROR -> "the API server does not answer: ";
            case UNAUTHORIZED, FORBIDDEN, OTHER_NODE, ADMISSION, QUOTA, NAMESPACE_ENDING, NO_RELATIONSHIP ->
                "the API server refuses to tell the agent: ";
            case NO_KUBECONFIG -> "the API server cannot be asked: ";
            case NOT_FOUND, CONFLICT, GONE, INVALID, UNREADABLE, UNSUPPORTED ->
                "the API server does not tell what it knows of the claim: ";
        };
    }

    private static Handed withoutRequests(Handed handed) {
        return new Handed(List.of(), handed.pool(), handed.device(), handed.cdiDeviceIds(), handed.shareId());
    }

    /** The names of the CDI devices, without their kind. */
    private static SortedSet<String> cdiDevices(List<Handed> devices) {
        return devices.stream()
                .flatMap(device -> device.cdiDeviceIds().stream())
                .map(id -> id.substring(id.indexOf('=') + 1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
