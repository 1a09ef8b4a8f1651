package io.imexagent.dra.kubelet;

import io.grpc.stub.StreamObserver;
import io.imexagent.dra.proto.registration.InfoRequest;
import io.imexagent.dra.proto.registration.PluginInfo;
import io.imexagent.dra.proto.registration.RegistrationGrpc;
import io.imexagent.dra.proto.registration.RegistrationStatus;
import io.imexagent.dra.proto.registration.RegistrationStatusResponse;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the kubelet what the plugin is, from memory, and keeps what the kubelet makes of it. */
final class RegistrationService extends RegistrationGrpc.RegistrationImplBase {

    /** What the kubelet may call, the best first; it takes the first node service that it knows. */
    private static final List<String> SERVICES =
            List.of("v1.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth");

    /** The kind of plugin that the kubelet has drivers register as. */
    static final String TYPE = "DRAPlugin";

    private static final int LONGEST_ERROR = 500;

    private static final Logger LOG = LoggerFactory.getLogger(RegistrationService.class);

    private final PluginInfo info;
    private final InstantSource clock;
    private final DraObserver observer;
    private final Runnable kubeletCame;
    private final AtomicReference<RegistrationState> state =
            new AtomicReference<>(new RegistrationState.RegistrationPending());

    RegistrationService(String driver, Path endpoint, InstantSource clock, DraObserver observer, Runnable kubeletCame) {
        this.info = PluginInfo.newBuilder()
                .setType(TYPE)
                .setName(driver)
                .setEndpoint(endpoint.toString())
                .addAllSupportedVersions(SERVICES)
                .build();
        this.clock = clock;
        this.observer = observer;
        this.kubeletCame = kubeletCame;
    }

    @Override
    public void getInfo(InfoRequest request, StreamObserver<PluginInfo> call) {
        call.onNext(info);
        call.onCompleted();
    }

    @Override
    public void notifyRegistrationStatus(RegistrationStatus request, StreamObserver<RegistrationStatusResponse> call) {
        if (request.getPluginRegistered()) {
            LOG.info("registered with the kubelet driver={}", info.getName());
            kubeletCame.run();
            become(new RegistrationState.RegistrationDone(clock.instant()));
        } else {
            String error = oneLine(request.getError());
            LOG.error("the kubelet rejected the registration driver={} error=\"{}\"", info.getName(), error);
            become(new RegistrationState.RegistrationRejected("the kubelet: " + error, clock.instant()));
        }
        call.onNext(RegistrationStatusResponse.getDefaultInstance());
        call.onCompleted();
    }

    RegistrationState state() {
        return state.get();
    }

    void begin() {
        become(new RegistrationState.RegistrationPending());
    }

    /** A socket is gone and does not come back for now; a reason that is known already is not logged again. */
    void lost(String reason) {
        if (!(state.get() instanceof RegistrationState.RegistrationRejected before)
                || !before.error().equals(reason)) {
            LOG.error("the kubelet cannot reach the agent; tried again until it can reason=\"{}\"", reason);
            become(new RegistrationState.RegistrationRejected(reason, clock.instant()));
        }
    }

    private void become(RegistrationState next) {
        state.set(next);
        observer.registration(next);
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return line.length() <= LONGEST_ERROR ? line : line.substring(0, LONGEST_ERROR) + "…";
    }
}
