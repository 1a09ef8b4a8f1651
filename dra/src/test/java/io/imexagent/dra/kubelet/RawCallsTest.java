package io.imexagent.dra.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.dra.claim.ClaimRequest;
import io.imexagent.dra.proto.v1.Claim;
import io.imexagent.dra.proto.v1.DRAPluginGrpc;
import io.imexagent.dra.proto.v1.NodePrepareResourcesRequest;
import io.imexagent.dra.proto.v1.NodeUnprepareResourcesRequest;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RawCallsTest {

    @TempDir
    private Path root;

    @Test
    void reachTheServiceAndAwaitItsAnswer() throws Exception {
        var claim =
                Claim.newBuilder().setNamespace("team").setName("c").setUid("u").build();
        try (var running = RunningServer.in(root);
                var calls = new RawCalls(running.settings.draSocket())) {
            calls.call(
                    DRAPluginGrpc.getNodePrepareResourcesMethod().getFullMethodName(),
                    NodePrepareResourcesRequest.newBuilder().addClaims(claim).build());
            calls.call(
                    DRAPluginGrpc.getNodeUnprepareResourcesMethod().getFullMethodName(),
                    NodeUnprepareResourcesRequest.newBuilder().addClaims(claim).build());

            assertThat(running.preparer.prepares).containsExactly(List.of(new ClaimRequest("team", "c", "u")));
            assertThat(running.preparer.remaining.getFirst()).isLessThanOrEqualTo(Duration.ofSeconds(45));
            assertThat(running.preparer.unprepares).hasSize(1);
        }
    }

    @Test
    void endWithAMethodThatTheServerDoesNotKnow() throws Exception {
        try (var running = RunningServer.in(root);
                var calls = new RawCalls(running.settings.draSocket())) {
            calls.call("no.such.Service/Method", NodePrepareResourcesRequest.getDefaultInstance());

            assertThat(running.preparer.prepares).isEmpty();
        }
    }

    @Test
    void failWhenTheServerHangsUp() throws Exception {
        Path socket = root.resolve("s");
        try (var server =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
                var calls = new RawCalls(socket)) {
            server.accept().close();

            assertThatThrownBy(() -> calls.call("a/b", NodePrepareResourcesRequest.getDefaultInstance()))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void failWhenTheyAreAborted() throws Exception {
        Path socket = root.resolve("s");
        try (var server =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
                var calls = new RawCalls(socket)) {
            assertThat(server.isOpen()).isTrue();
            var aborting = CompletableFuture.runAsync(calls::abort);

            assertThatThrownBy(() -> calls.call("a/b", NodePrepareResourcesRequest.getDefaultInstance()))
                    .isInstanceOf(IOException.class);
            aborting.join();
        }
    }
}
