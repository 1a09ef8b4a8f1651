package io.imexagent.dra.kubelet;

import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.ClaimRequest;
import io.imexagent.dra.proto.v1.Claim;
import io.imexagent.dra.proto.v1.DRAPluginGrpc;
import io.imexagent.dra.proto.v1.NodePrepareResourcesRequest;
import io.imexagent.files.FileFault;
import io.imexagent.worker.UntilCompiled;
import io.vertx.core.internal.ContextInternal;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of the node service that load, and have compiled, what the first calls would have to while pods wait
 * (docs/performance.md). They go to a server of their own, on a socket that the kubelet does not look for, with canned
 * answers, and so reach neither claims nor metrics.
 */
final class WarmUp {

    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    private WarmUp() {}

    /** Warms the path of a call. A failure costs the first call some time, and nothing else. */
    static void run(DraSettings settings, ContextInternal context, LongSupplier nanoTime) throws InterruptedException {
        var server = new SocketServer(
                settings,
                settings.pluginDirectory().resolve(".warm-up.sock"),
                List.of(NodePlugin.v1(new CannedPreparer())),
                context,
                DraObserver.NONE);
        long start = nanoTime.getAsLong();
        try {
            server.start();
            if (settings.peers().admits(server.file().owner())) {
                call(server, context, nanoTime);
            }
            LOG.debug("warm-up done micros={}", (nanoTime.getAsLong() - start) / 1000);
        } catch (ClosedByInterruptException stopping) {
            throw (InterruptedException) new InterruptedException("stopping").initCause(stopping);
        } catch (IOException failure) {
            LOG.warn("warm-up failed, the first call will be slow reason=\"{}\"", reason(failure));
        } finally {
            server.abort();
            server.removeFile();
        }
    }

    /** What ends a connection has no words of its own. */
    static String reason(IOException failure) {
        return failure instanceof EOFException ? "the server ended the connection" : FileFault.reason(failure);
    }

    private static void call(SocketServer server, ContextInternal context, LongSupplier nanoTime)
            throws IOException, InterruptedException {
        try (var connection = new RawCalls(server.file().path())) {
            var late = new AtomicBoolean();
            long alarm = context.owner().setTimer(LIMIT.toMillis(), _ -> {
                late.set(true);
                connection.abort();
            });
            try {
                // The requests of the two calls are the same on the wire.
                var request = NodePrepareResourcesRequest.newBuilder()
                        .addAllClaims(List.of(claim("prepared"), claim("refused")))
                        .build();
                UntilCompiled.repeat(nanoTime, () -> {
                    connection.call(
                            DRAPluginGrpc.getNodePrepareResourcesMethod().getFullMethodName(), request);
                    connection.call(
                            DRAPluginGrpc.getNodeUnprepareResourcesMethod().getFullMethodName(), request);
                });
            } catch (IOException failure) {
                throw late.get() ? new IOException("its calls took longer than " + LIMIT.toSeconds() + " s") : failure;
            } finally {
                context.owner().cancelTimer(alarm);
            }
        }
    }

    private static Claim claim(String uid) {
        return Claim.newBuilder()
                .setNamespace("warm-up")
                .setName("warm-up")
                .setUid(uid)
                .build();
    }

    private static final class CannedPreparer implements ClaimPreparer {

        private static final Refusal REFUSAL = new Refusal(RefusalCode.BAD_REQUEST, "warm-up");

        @Override
        public Supplier<Map<String, Outcome<Prepared>>> prepare(List<ClaimRequest> claims, Duration remaining) {
            return firstAndOthers(
                    claims,
                    new Prepared(List.of(new PreparedDevice.ReturnedDevice(
                            List.of("channel/sub"), "pool", "device", List.of("id"), Optional.of("share")))));
        }

        @Override
        public Supplier<Map<String, Outcome<Unprepared>>> unprepare(List<ClaimRequest> claims) {
            return firstAndOthers(claims, new Unprepared());
        }

        private static <A> Supplier<Map<String, Outcome<A>>> firstAndOthers(List<ClaimRequest> claims, A first) {
            var answers = new LinkedHashMap<String, Outcome<A>>();
            claims.forEach(claim ->
                    answers.put(claim.uid(), answers.isEmpty() ? Outcome.accepted(first) : Outcome.refused(REFUSAL)));
            return () -> answers;
        }
    }
}
