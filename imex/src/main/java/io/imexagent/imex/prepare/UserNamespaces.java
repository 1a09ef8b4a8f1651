package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimStatus.ConsumerReference;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.imex.probe.ChannelNodes;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.kubernetes.Pods;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.Reviews.AccessRule;
import io.imexagent.kubernetes.Reviews.ReviewResult;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the claims of pods in a user namespace of their own ({@code hostUsers: false}), whose containers could not open
 * their channel ({@link ChannelNodes}). The pods are read in parallel with the other reads of a prepare, and only under
 * the identity of the node's kubelet: the Node authorizer allows it to read the pods of its node. Pods that cannot be
 * read in time cause no refusal.
 */
public final class UserNamespaces {

    /** The time that a prepare waits for pods beyond its other reads. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    /** The lifetime of a positive result: a runtime can be upgraded, an identity change with its kubeconfig. */
    static final Duration LOOKS_FOR = Duration.ofHours(1);

    /** The lifetime of a negative condition: a new node may have no Node yet, or one without its runtime's handlers. */
    static final Duration LOOKS_NOT_FOR = Duration.ofMinutes(1);

    /** The most pods for which a claim is checked; a template's claim has one. Claims of a PodGroup are not checked. */
    static final int MOST_PODS = 4;

    /** The number of pods to remember, more than a node has. */
    private static final int MOST_KNOWN = 256;

    private static final Logger LOG = LoggerFactory.getLogger(UserNamespaces.class);

    /** The access to check, with a name that no pod has. */
    private static final AccessRule READ_OWN_PODS =
            AccessRule.on("get", "", "pods").named("imex-agent-check");

    private final Pods pods;
    private final PodLookupCondition condition;
    private final ChannelNodes nodes;
    private final LongSupplier nanoTime;
    private final Set<String> ownUsers = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > MOST_KNOWN;
        }
    }));
    private volatile @Nullable CachedPermission known;

    private record CachedPermission(boolean allowed, long at) {}

    /** Whether pods are read: the node supports user namespaces, and the client has its kubelet's identity. */
    @FunctionalInterface
    public interface PodLookupCondition {

        /** The condition by Node and rights: for an unknown pod the Node authorizer answers that no node has it. */
        static PodLookupCondition of(Nodes nodes, String node, Reviews reviews) {
            return () -> nodes.get(node)
                            .filter(found -> found.software().userNamespaces())
                            .isPresent()
                    && reviews.may(READ_OWN_PODS) instanceof ReviewResult.AllowedOfOwnNode;
        }

        boolean holds() throws ApiException;
    }

    /** Creates the check over these pods, read under the condition, and the host's device nodes. */
    public UserNamespaces(Pods pods, PodLookupCondition condition, ChannelNodes nodes, LongSupplier nanoTime) {
        this.pods = pods;
        this.condition = condition;
        this.nodes = nodes;
        this.nanoTime = nanoTime;
    }

    /** Evaluates the condition in the background, so that the first claim does not wait for it. */
    public void start() {
        Thread.ofVirtual().name("pods").start(() -> {
            try {
                var _ = isAllowed();
            } catch (ApiException unread) {
                LOG.debug(
                        "whether pods are looked at is not known yet reason=\"{}\"",
                        unread.failure().message());
            }
        });
    }

    /** Starts to check whether this channel must be refused to a claim. Does not wait for Kubernetes. */
    PodLookup<Refusal> begin(ClaimRef ref, ClaimStatus status, ChannelId channel, ChannelMajor major) {
        Optional<String> closed = nodes.closed(channel, major);
        return closed.isPresent()
                ? begin(ref, status).map(pod -> refusal(pod, channel, closed.get()))
                : PodLookup.none();
    }

    /** Starts to look up the pod of a claim without a channel yet; finds only pods in a user namespace. */
    PodLookup<String> begin(ClaimRef ref, ClaimStatus status) {
        List<ConsumerReference> users = status.reservedFor();
        if (users.isEmpty() || users.size() > MOST_PODS || !users.stream().allMatch(ConsumerReference::isPod)) {
            return PodLookup.none();
        }
        var found = new CompletableFuture<Optional<String>>();
        if (users.stream().allMatch(user -> ownUsers.contains(user.uid()))) {
            // hostUsers of a pod cannot change, and the kubelet retries often.
            found.complete(Optional.of(users.getFirst().name()));
            return new PodLookup<>(found, () -> {});
        }
        Thread reading =
                Thread.ofVirtual().name("pods").start(() -> read(ref.name().namespace(), users, found));
        return new PodLookup<>(found, reading::interrupt);
    }

    /** The reason why this pod does not get this channel; empty if its containers can open it, or if unknown. */
    Optional<Refusal> refusal(String pod, ChannelId channel, ChannelMajor major) {
        return nodes.closed(channel, major).map(why -> refusal(pod, channel, why));
    }

    private static Refusal refusal(String pod, ChannelId channel, String why) {
        return refusal(
                pod,
                why,
                "give this node " + channel.path() + " with mode 0666 (mknod, chmod), which opens channel " + channel
                        + " to every user of the host");
    }

    /**
     * The reason why this pod gets none of the channels 1 to {@code channels} − 1; empty if the host has open nodes of
     * any of them.
     */
    Optional<Refusal> refusal(String pod, int channels, ChannelMajor major) {
        try {
            return nodes.anyOpen(channels, major)
                    ? Optional.empty()
                    : Optional.of(refusal(
                            pod,
                            "this host has no node of channels 1 to " + (channels - 1) + " that all users may open",
                            "give this node those below /" + ChannelNodes.FOLDER
                                    + " with mode 0666 (mknod, chmod), which opens the channels to every user of the"
                                    + " host"));
        } catch (IOException cannotTell) {
            return Optional.empty();
        }
    }

    private static Refusal refusal(String pod, String why, String remedy) {
        return new Refusal(
                RefusalCode.USER_NAMESPACE,
                "pod " + pod
                        + " has users of its own (hostUsers: false), so the container runtime binds the host's node"
                        + " of the channel, and " + why
                        + "; run the pod without hostUsers: false, or have the operator "
                        + remedy);
    }

    private void read(String namespace, List<ConsumerReference> users, CompletableFuture<Optional<String>> found) {
        try {
            found.complete(
                    isAllowed() && allOfTheirOwn(namespace, users)
                            ? Optional.of(users.getFirst().name())
                            : Optional.empty());
        } catch (ApiException unread) {
            LOG.debug(
                    "pods of a claim were not read reason=\"{}\"",
                    unread.failure().message());
        } finally {
            found.complete(Optional.empty());
        }
    }

    /**
     * Whether all pods of the claim have a user namespace. The kubelet does not name the pod for which it prepares a
     * claim, so a claim is prepared if one of its pods can use the channel.
     */
    private boolean allOfTheirOwn(String namespace, List<ConsumerReference> users) throws ApiException {
        for (ConsumerReference user : users) {
            Optional<Pods.PodObject> pod = pods.get(namespace, user.name());
            if (pod.filter(one -> one.uid().equals(user.uid()) && !one.hostUsers())
                    .isEmpty()) {
                return false;
            }
            ownUsers.add(user.uid());
        }
        return true;
    }

    private boolean isAllowed() throws ApiException {
        CachedPermission last = known;
        if (last == null
                || nanoTime.getAsLong() - last.at() >= (last.allowed() ? LOOKS_FOR : LOOKS_NOT_FOR).toNanos()) {
            last = new CachedPermission(condition.holds(), nanoTime.getAsLong());
            known = last;
        }
        return last.allowed();
    }

    /** A lookup of pods, with the result derived from it; {@code end} cancels the lookup. */
    record PodLookup<T>(CompletableFuture<Optional<T>> found, Runnable end) {

        /** A lookup that reads nothing. */
        static <T> PodLookup<T> none() {
            return new PodLookup<>(CompletableFuture.completedFuture(Optional.empty()), () -> {});
        }

        private <R> PodLookup<R> map(Function<T, R> change) {
            return new PodLookup<>(found.thenApply(one -> one.map(change)), end);
        }

        /** The result if it is known already. Never blocks. */
        Optional<T> soFar() {
            return found.getNow(Optional.empty());
        }

        /** Waits for the result; empty if it does not come in time. */
        Optional<T> await() throws InterruptedException {
            try {
                return found.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException late) {
                return Optional.empty();
            } catch (ExecutionException defect) {
                throw new IllegalStateException("pods were not read", defect.getCause());
            } finally {
                end.run();
            }
        }
    }
}
