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
 * their channel ({@link ChannelNodes}). The pods are read beside what else a prepare waits for, under the identity of
 * the node's kubelet alone: the Node authorizer lets it read the pods of its node. Pods that cannot be read in time
 * refuse nothing.
 */
public final class UserNamespaces {

    /** How long a prepare waits for pods beyond its other reads. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    /** A runtime can be upgraded, and an identity change with its kubeconfig. */
    static final Duration LOOKS_FOR = Duration.ofHours(1);

    /** A node that has just come has no Node yet, or one that does not name its runtime's handlers. */
    static final Duration LOOKS_NOT_FOR = Duration.ofMinutes(1);

    /** A template's claim has one pod; a claim with more than these is not looked at, nor one of a PodGroup. */
    static final int MOST_PODS = 4;

    /** More than a node has pods. */
    private static final int MOST_KNOWN = 256;

    private static final Logger LOG = LoggerFactory.getLogger(UserNamespaces.class);

    /** No pod has that name. */
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

    /** Whether pods are looked at here: the node can run such pods, and the client has the identity of its kubelet. */
    @FunctionalInterface
    public interface PodLookupCondition {

        /** By the Node and the client's rights: for an unknown pod the Node authorizer answers that no node has it. */
        static PodLookupCondition of(Nodes nodes, String node, Reviews reviews) {
            return () -> nodes.get(node)
                            .filter(found -> found.software().userNamespaces())
                            .isPresent()
                    && reviews.may(READ_OWN_PODS) instanceof ReviewResult.AllowedOfOwnNode;
        }

        boolean holds() throws ApiException;
    }

    /** Over pods, which are looked at under a condition, and the host's nodes. */
    public UserNamespaces(Pods pods, PodLookupCondition condition, ChannelNodes nodes, LongSupplier nanoTime) {
        this.pods = pods;
        this.condition = condition;
        this.nodes = nodes;
        this.nanoTime = nanoTime;
    }

    /** Finds out in the background whether pods are looked at, so that the first claim need not wait for that. */
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

    /** Begins to look for a reason to keep this channel from a claim. Of Kubernetes nothing is awaited. */
    PodLookup<Refusal> begin(ClaimRef ref, ClaimStatus status, ChannelId channel, ChannelMajor major) {
        Optional<String> closed = nodes.closed(channel, major);
        return closed.isPresent()
                ? begin(ref, status).map(pod -> refusal(pod, channel, closed.get()))
                : PodLookup.none();
    }

    /** Begins to look for the pod of a claim whose channel is not known yet; its users are not the host's. */
    PodLookup<String> begin(ClaimRef ref, ClaimStatus status) {
        List<ConsumerReference> users = status.reservedFor();
        if (users.isEmpty() || users.size() > MOST_PODS || !users.stream().allMatch(ConsumerReference::isPod)) {
            return PodLookup.none();
        }
        var found = new CompletableFuture<Optional<String>>();
        if (users.stream().allMatch(user -> ownUsers.contains(user.uid()))) {
            // The field cannot be changed, and the kubelet comes again and again.
            found.complete(Optional.of(users.getFirst().name()));
            return new PodLookup<>(found, () -> {});
        }
        Thread reading =
                Thread.ofVirtual().name("pods").start(() -> read(ref.name().namespace(), users, found));
        return new PodLookup<>(found, reading::interrupt);
    }

    /** Why this pod gets not this channel; empty where its containers can open it, or where the host does not tell. */
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
     * Why this pod gets none of the channels 1 to {@code channels} − 1, whichever it would be; empty where the host has
     * open nodes of some.
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
     * The kubelet does not say for which pod it prepares a claim: if one of its pods can use the channel, all get it.
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

    /** What is being read of pods, and what follows from it; {@code end} gives the read up. */
    record PodLookup<T>(CompletableFuture<Optional<T>> found, Runnable end) {

        /** Nothing is read. */
        static <T> PodLookup<T> none() {
            return new PodLookup<>(CompletableFuture.completedFuture(Optional.empty()), () -> {});
        }

        private <R> PodLookup<R> map(Function<T, R> change) {
            return new PodLookup<>(found.thenApply(one -> one.map(change)), end);
        }

        /** As far as it is known by now. Never blocks. */
        Optional<T> soFar() {
            return found.getNow(Optional.empty());
        }

        /** What comes of it; what does not come in time is none. */
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
