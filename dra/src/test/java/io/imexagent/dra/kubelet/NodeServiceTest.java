package io.imexagent.dra.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimRequest;
import io.imexagent.dra.proto.v1.Claim;
import io.imexagent.dra.proto.v1.DRAPluginGrpc;
import io.imexagent.dra.proto.v1.Device;
import io.imexagent.dra.proto.v1.NodePrepareResourcesRequest;
import io.imexagent.dra.proto.v1.NodePrepareResourcesResponse;
import io.imexagent.dra.proto.v1.NodeUnprepareResourcesRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeServiceTest {

    private static final PreparedDevice.ReturnedDevice SHARED = new PreparedDevice.ReturnedDevice(
            List.of("gpus/large", "gpus/small", "channel"),
            "node-1",
            "channel-0",
            List.of("k8s.compute-domain.nvidia.com/claim=u-channel-0"),
            Optional.of("share-7"));

    @TempDir
    private Path root;

    private RunningServer running;
    private SocketClient client;

    @BeforeEach
    void start() throws Exception {
        running = RunningServer.in(root);
        client = running.node();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        running.close();
    }

    @Test
    void answersEachClaimWithItsOwnResult() {
        running.preparer.answerPrepare("b", refused("claim team/b is not allocated"));

        NodePrepareResourcesResponse answers = prepare(claim("a"), claim("b"));

        assertThat(answers.getClaimsMap()).containsOnlyKeys("a", "b");
        assertThat(answers.getClaimsOrThrow("a").getError()).isEmpty();
        assertThat(answers.getClaimsOrThrow("a").getDevicesList())
                .containsExactly(Device.newBuilder()
                        .addRequestNames("channel")
                        .setPoolName("node-1")
                        .setDeviceName("channel-0")
                        .addCdiDeviceIds("k8s.compute-domain.nvidia.com/claim=u-channel-0")
                        .build());
        assertThat(answers.getClaimsOrThrow("b").getDevicesList()).isEmpty();
        assertThat(answers.getClaimsOrThrow("b").getError()).isEqualTo("claim team/b is not allocated [not_allocated]");
        assertThat(running.preparer.prepares)
                .containsExactly(
                        List.of(new ClaimRequest("team", "claim-a", "a"), new ClaimRequest("team", "claim-b", "b")));
    }

    @Test
    void answersEachUnpreparedClaimWithItsOwnResult() {
        running.preparer.answerUnprepare(
                "b", Outcome.refused(new Refusal(RefusalCode.EFFECT_FAILED, "the disk is full")));

        var answers = DRAPluginGrpc.newBlockingStub(client.channel())
                .nodeUnprepareResources(NodeUnprepareResourcesRequest.newBuilder()
                        .addClaims(claim("a"))
                        .addClaims(claim("b"))
                        .addClaims(claim("a"))
                        .build());

        assertThat(answers.getClaimsMap()).containsOnlyKeys("a", "b");
        assertThat(answers.getClaimsOrThrow("a").getError()).isEmpty();
        assertThat(answers.getClaimsOrThrow("b").getError()).isEqualTo("the disk is full [effect_failed]");
    }

    @Test
    void namesRequestsWithoutTheirSubrequests() {
        running.preparer.answerPrepare("a", Outcome.accepted(new Prepared(List.of(SHARED))));

        assertThat(prepare(claim("a")).getClaimsOrThrow("a").getDevices(0).getRequestNamesList())
                .containsExactly("gpus", "channel");
    }

    @Test
    void tellsShareIdsOnlyInV1() throws Exception {
        running.preparer.answerPrepare("a", Outcome.accepted(new Prepared(List.of(SHARED))));

        Device v1 = prepare(claim("a")).getClaimsOrThrow("a").getDevices(0);
        var beta = io.imexagent.testing.proto.v1beta1.DRAPluginGrpc.newBlockingStub(client.channel())
                .nodePrepareResources(io.imexagent.testing.proto.v1beta1.NodePrepareResourcesRequest.newBuilder()
                        .addClaims(io.imexagent.testing.proto.v1beta1.Claim.newBuilder()
                                .setNamespace("team")
                                .setName("claim-a")
                                .setUid("a"))
                        .build())
                .getClaimsOrThrow("a")
                .getDevices(0);

        assertThat(v1.getShareId()).isEqualTo("share-7");
        assertThat(beta.getDeviceName()).isEqualTo("channel-0");
        assertThat(Device.parseFrom(beta.toByteArray()).hasShareId()).isFalse();
        assertThat(beta.getUnknownFields().asMap()).isEmpty();
    }

    @Test
    void sendsNoShareIdWhereThereIsNone() {
        assertThat(prepare(claim("a")).getClaimsOrThrow("a").getDevices(0).hasShareId())
                .isFalse();
    }

    @Test
    void unpreparesOverV1Beta1() {
        var answers = io.imexagent.testing.proto.v1beta1.DRAPluginGrpc.newBlockingStub(client.channel())
                .nodeUnprepareResources(io.imexagent.testing.proto.v1beta1.NodeUnprepareResourcesRequest.newBuilder()
                        .addClaims(io.imexagent.testing.proto.v1beta1.Claim.newBuilder()
                                .setUid("a"))
                        .build());

        assertThat(answers.getClaimsMap()).containsOnlyKeys("a");
        assertThat(answers.getClaimsOrThrow("a").getError()).isEmpty();
    }

    @Test
    void answersOnceForAClaimThatIsNamedTwice() {
        assertThat(prepare(claim("a"), claim("a")).getClaimsMap()).containsOnlyKeys("a");
    }

    @Test
    void answersARequestWithoutClaims() {
        assertThat(prepare().getClaimsMap()).isEmpty();
    }

    @Test
    void answersEveryClaimWhenThePreparerFails() {
        running.preparer.fail(new IllegalStateException("a test's failure"));

        var answers = prepare(claim("a"), claim("b"));

        assertThat(answers.getClaimsMap()).containsOnlyKeys("a", "b");
        assertThat(answers.getClaimsMap().values())
                .allSatisfy(answer -> assertThat(answer.getError()).contains("[internal]"));
    }

    @Test
    void answersAClaimThatThePreparerForgot() {
        running.preparer.forget("b");

        var answers = prepare(claim("a"), claim("b"));

        assertThat(answers.getClaimsOrThrow("a").getDevicesCount()).isEqualTo(1);
        assertThat(answers.getClaimsOrThrow("b").getError()).contains("[internal]");
    }

    @Test
    void passesTheCallersDeadlineOn() {
        DRAPluginGrpc.newBlockingStub(client.channel())
                .withDeadlineAfter(1, TimeUnit.HOURS)
                .nodePrepareResources(request(claim("a")));

        // More than the default, so it must be the caller's.
        assertThat(running.preparer.remaining.getFirst()).isBetween(Duration.ofMinutes(30), Duration.ofHours(1));
    }

    @Test
    void assumesTheKubeletsDeadlineWhereThereIsNone() {
        prepare(claim("a"));

        assertThat(running.preparer.remaining).containsExactly(Duration.ofSeconds(45));
    }

    @Test
    void refusesACallWithTooManyClaims() {
        Claim[] many = IntStream.range(0, 513).mapToObj(i -> claim("uid-" + i)).toArray(Claim[]::new);

        assertThatThrownBy(() -> prepare(many))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContaining("INVALID_ARGUMENT: a call may name 512 claims, this one names 513");
        assertThat(running.preparer.prepares).isEmpty();
    }

    @Test
    void answersACallWithAsManyClaimsAsItMay() {
        Claim[] many = IntStream.range(0, 512).mapToObj(i -> claim("uid-" + i)).toArray(Claim[]::new);

        assertThat(prepare(many).getClaimsCount()).isEqualTo(512);
    }

    @Test
    void refusesAMessageThatIsTooLarge() {
        assertThatThrownBy(() -> prepare(claim("x".repeat(1 << 20))))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContaining("RESOURCE_EXHAUSTED");
        assertThat(prepare(claim("a")).getClaimsCount()).isEqualTo(1);
    }

    @Test
    void survivesABrokenMessage() {
        // Field 1, length-delimited, longer than the message; then a UID that is no UTF-8.
        for (byte[] broken : List.of(new byte[] {0x0a, 0x7f, 0x01}, new byte[] {0x0a, 0x03, 0x12, 0x01, (byte) 0xff})) {
            assertThatThrownBy(() -> send(broken)).isInstanceOf(StatusRuntimeException.class);
        }

        assertThat(prepare(claim("a")).getClaimsCount()).isEqualTo(1);
        assertThat(running.preparer.prepares).hasSize(1);
    }

    @Test
    void survivesACallThatIsGivenUp() throws Exception {
        running.preparer.hold();
        var future = DRAPluginGrpc.newFutureStub(client.channel()).nodePrepareResources(request(claim("a")));
        FakeClaimPreparer.Held givenUp = held();

        future.cancel(true);
        // On the same connection, so it arrives after the cancellation.
        var next = DRAPluginGrpc.newFutureStub(client.channel()).nodePrepareResources(request(claim("b")));
        FakeClaimPreparer.Held waiting = held();
        givenUp.release();
        waiting.release();

        assertThat(next.get(20, TimeUnit.SECONDS).getClaimsMap()).containsOnlyKeys("b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "%2Fvar%2Flib%2Fkubelet%2Fdra.sock", "kubelet.example:1234"})
    void acceptsAnyAuthority(String authority) {
        try (var other = new SocketClient(running.settings.draSocket(), authority)) {
            assertThat(DRAPluginGrpc.newBlockingStub(other.channel())
                            .nodePrepareResources(request(claim("a")))
                            .getClaimsCount())
                    .isEqualTo(1);
        }
    }

    private FakeClaimPreparer.Held held() throws InterruptedException {
        return Objects.requireNonNull(running.preparer.held.poll(20, TimeUnit.SECONDS), "no call arrived");
    }

    private NodePrepareResourcesResponse prepare(Claim... claims) {
        return DRAPluginGrpc.newBlockingStub(client.channel()).nodePrepareResources(request(claims));
    }

    private static NodePrepareResourcesRequest request(Claim... claims) {
        return NodePrepareResourcesRequest.newBuilder()
                .addAllClaims(List.of(claims))
                .build();
    }

    private static Claim claim(String uid) {
        return Claim.newBuilder()
                .setNamespace("team")
                .setName("claim-" + uid)
                .setUid(uid)
                .build();
    }

    private static Outcome<Prepared> refused(String why) {
        return Outcome.refused(new Refusal(RefusalCode.NOT_ALLOCATED, why));
    }

    private void send(byte[] message) {
        var method = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(DRAPluginGrpc.getNodePrepareResourcesMethod().getFullMethodName())
                .setRequestMarshaller(new Bytes())
                .setResponseMarshaller(new Bytes())
                .build();
        ClientCalls.blockingUnaryCall(client.channel(), method, CallOptions.DEFAULT, message);
    }

    /** Sends bytes as they are. */
    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
