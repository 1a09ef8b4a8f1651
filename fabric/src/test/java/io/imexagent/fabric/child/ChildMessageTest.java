package io.imexagent.fabric.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.imexagent.fabric.child.ChildMessage.ChildReply;
import io.imexagent.fabric.child.ChildMessage.ChildRequest;
import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.fabric.cuda.CudaResult;
import io.imexagent.fabric.cuda.FabricHandle;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChildMessageTest {

    private static final FabricHandle HANDLE = new FabricHandle("ab".repeat(FabricHandle.BYTES));

    @Test
    void eachMessageIsReadAsItWasWritten() throws Exception {
        for (ChildRequest request : List.<ChildRequest>of(
                new ChildMessage.OpenRequest("/run/nvidia \"driver\""),
                new ChildMessage.ExportRequest("GPU-1", FabricLevel.DATA, FabricContract.NONCE),
                new ChildMessage.ImportRequest("GPU-1", FabricLevel.MAP, HANDLE, 2 << 20),
                new ChildMessage.ReleaseRequest())) {
            assertThat(ChildMessage.request(request.json().toString())).isEqualTo(request);
        }
        for (ChildReply reply : List.<ChildReply>of(
                new ChildMessage.Calling(CudaCall.INIT),
                new ChildMessage.LibraryOpened(List.of(new FabricGpu("GPU-1", true))),
                new ChildMessage.Exported(new FabricExport(HANDLE, 2 << 20)),
                new ChildMessage.Imported(Optional.empty()),
                new ChildMessage.Imported(Optional.of(FabricContract.NONCE)),
                new ChildMessage.Released(),
                new ChildMessage.CallFailedReply(CudaCall.IMPORT, new CudaResult(800, "CUDA_ERROR_NOT_PERMITTED")),
                new ChildMessage.Unable("no"))) {
            assertThat(ChildMessage.reply(reply.json().toString())).isEqualTo(reply);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7",
                "[]",
                "{",
                "{}",
                "{\"op\":\"close\"}",
                "{\"op\":\"release\",\"op\":\"release\"}",
                "{\"op\":\"release\"}{}",
                "{\"op\":\"release\",\"x\":1}",
                "{\"op\":\"open\",\"driverRoot\":7}",
                "{\"op\":\"export\",\"gpu\":\"g\",\"level\":\"all\",\"nonce\":\"00112233445566778899aabbccddeeff\"}",
                "{\"op\":\"export\",\"gpu\":\"g\",\"level\":\"map\",\"nonce\":\"00\"}",
                "{\"op\":\"import\",\"gpu\":\"g\",\"level\":\"map\",\"handle\":\"00\",\"bytes\":1}",
            })
    void whatIsNoRequestIsRefused(String line) {
        assertThatIOException().isThrownBy(() -> ChildMessage.request(line));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"imported\":1}",
                "{\"calling\":\"cuEverything\"}",
                "{\"call\":\"cuInit\",\"code\":-1,\"name\":\"x\"}",
                "{\"gpus\":[{\"uuid\":\"g\"}]}",
                "{\"handle\":\"00\",\"bytes\":1}"
            })
    void whatIsNoReplyIsRefused(String line) {
        assertThatIOException().isThrownBy(() -> ChildMessage.reply(line));
    }
}
