package io.imexagent.fabric.child;

import io.imexagent.fabric.child.ChildMessage.CallFailedReply;
import io.imexagent.fabric.child.ChildMessage.Calling;
import io.imexagent.fabric.child.ChildMessage.ChildReply;
import io.imexagent.fabric.child.ChildMessage.ChildRequest;
import io.imexagent.fabric.child.ChildMessage.ExportRequest;
import io.imexagent.fabric.child.ChildMessage.Exported;
import io.imexagent.fabric.child.ChildMessage.ImportRequest;
import io.imexagent.fabric.child.ChildMessage.Imported;
import io.imexagent.fabric.child.ChildMessage.LibraryOpened;
import io.imexagent.fabric.child.ChildMessage.OpenRequest;
import io.imexagent.fabric.child.ChildMessage.ReleaseRequest;
import io.imexagent.fabric.child.ChildMessage.Released;
import io.imexagent.fabric.child.ChildMessage.Unable;
import io.imexagent.fabric.cuda.CudaException;
import io.imexagent.fabric.cuda.CudaException.CudaCallFailed;
import io.imexagent.fabric.cuda.jna.CoreDumps;
import io.imexagent.fabric.cuda.jna.CudaSession;
import io.imexagent.fabric.cuda.jna.CudaSession.CudaContext;
import io.imexagent.fabric.cuda.jna.CudaSession.CudaDevice;
import io.imexagent.fabric.cuda.jna.CudaSession.FabricMemory;
import io.imexagent.fabric.cuda.jna.CudaSession.MappedMemory;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The child's side: it handles the requests of its parent in order. The process ends as soon as its standard input
 * ends, even while a call hangs. It serves one parent, has no configuration, and writes no file and no core dump.
 */
public final class ChildSide {

    private final PrintStream out;
    private final List<FabricMemory> exported = new ArrayList<>();
    private Optional<CudaSession> session = Optional.empty();
    private List<CudaDevice> devices = List.of();

    private ChildSide(PrintStream out) {
        this.out = out;
    }

    /** Serves the parent over standard input and output; does not return. */
    public static void run() throws InterruptedException {
        CoreDumps.forbid();
        var out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        // The parent must not read other output of this process as an answer.
        System.setOut(System.err);
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread.ofPlatform().name("fabric-parent").daemon().start(() -> receive(lines));
        var child = new ChildSide(out);
        while (true) {
            child.write(child.answer(lines.take()));
        }
    }

    /**
     * Queues the lines of the parent. At the end of the input the process is halted without shutdown hooks, which a
     * hanging call could delay.
     */
    private static void receive(BlockingQueue<String> into) {
        int code = 0;
        try {
            var lines = new BoundedLines(new BufferedInputStream(System.in));
            for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
                into.add(line.get());
            }
        } catch (IOException broken) {
            code = 1;
        }
        Runtime.getRuntime().halt(code);
    }

    private void write(ChildReply reply) {
        out.print(reply.json() + "\n");
        out.flush();
    }

    private ChildReply answer(String line) {
        try {
            return answer(ChildMessage.request(line));
        } catch (CudaCallFailed failure) {
            return new CallFailedReply(failure.call(), failure.result());
        } catch (CudaException | IOException failure) {
            return new Unable(String.valueOf(failure.getMessage()));
        }
    }

    private ChildReply answer(ChildRequest request) throws CudaException, IOException {
        return switch (request) {
            case OpenRequest(String driverRoot) -> open(Path.of(driverRoot));
            case ExportRequest(String gpu, FabricLevel level, String nonce) -> export(device(gpu), level, nonce);
            case ImportRequest importing -> importMemory(importing);
            case ReleaseRequest releasing -> release();
        };
    }

    private ChildReply open(Path driverRoot) throws CudaException {
        CudaSession opened = CudaSession.open(driverRoot, call -> write(new Calling(call)));
        session = Optional.of(opened);
        devices = opened.devices();
        List<FabricGpu> gpus = new ArrayList<>();
        for (CudaDevice device : devices) {
            gpus.add(new FabricGpu(device.uuid(), device.supportsFabricHandles()));
        }
        return new LibraryOpened(gpus);
    }

    private CudaDevice device(String uuid) throws IOException {
        return devices.stream()
                .filter(device -> device.uuid().equals(uuid))
                .findFirst()
                .orElseThrow(() -> new IOException("libcuda shows no " + uuid + " here"));
    }

    private ChildReply export(CudaDevice device, FabricLevel level, String nonce) throws CudaException {
        FabricMemory memory = device.allocate();
        exported.add(memory);
        if (level.includes(FabricLevel.DATA)) {
            try (CudaContext _ = device.retainContext();
                    MappedMemory mapped = memory.map(device)) {
                mapped.write(HexFormat.of().parseHex(nonce));
            }
        }
        return new Exported(new FabricExport(memory.export(), memory.bytes()));
    }

    private ChildReply importMemory(ImportRequest request) throws CudaException, IOException {
        CudaDevice device = device(request.gpu());
        CudaSession opened = session.orElseThrow(() -> new IOException("libcuda is not open"));
        try (FabricMemory memory = opened.importMemory(request.handle(), request.bytes())) {
            return switch (request.level()) {
                case IMPORT -> new Imported(Optional.empty());
                case MAP -> {
                    memory.map(device).close();
                    yield new Imported(Optional.empty());
                }
                case DATA -> {
                    try (CudaContext _ = device.retainContext();
                            MappedMemory mapped = memory.map(device)) {
                        yield new Imported(Optional.of(HexFormat.of().formatHex(mapped.read(NONCE_BYTES))));
                    }
                }
            };
        }
    }

    private static final int NONCE_BYTES = 16;

    private ChildReply release() throws CudaException {
        while (!exported.isEmpty()) {
            exported.removeLast().close();
        }
        return new Released();
    }
}
