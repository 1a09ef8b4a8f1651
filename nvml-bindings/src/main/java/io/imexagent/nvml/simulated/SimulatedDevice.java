package io.imexagent.nvml.simulated;

import io.imexagent.nvml.Architecture;
import io.imexagent.nvml.FabricAnswer;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.FabricInfoVersion;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.NvmlReturn.Known;
import io.imexagent.nvml.PciInfo;
import io.imexagent.nvml.PlatformInfo;
import io.imexagent.nvml.RecoveryAction;
import java.util.Optional;
import java.util.Set;

/**
 * A GPU of a {@link SimulatedSession}.
 *
 * @param session the session, which may be closed in the meantime
 * @param index the index in the tray
 */
record SimulatedDevice(SimulatedSession session, int index) implements NvmlDevice {
    @Override
    public String name() throws NvmlException {
        return ask(NvmlCall.NAME).name();
    }

    @Override
    public String uuid() throws NvmlException {
        return ask(NvmlCall.UUID).uuid();
    }

    @Override
    public PciInfo pciInfo() throws NvmlException {
        return ask(NvmlCall.PCI_INFO).pci();
    }

    @Override
    public int minorNumber() throws NvmlException {
        return ask(NvmlCall.MINOR_NUMBER).minorNumber();
    }

    @Override
    public Optional<Architecture> architecture() throws NvmlException {
        return askIfSupported(NvmlCall.ARCHITECTURE).flatMap(SimulatedGpu::architecture);
    }

    @Override
    public Optional<PlatformInfo> platformInfo() throws NvmlException {
        return askIfSupported(NvmlCall.PLATFORM_INFO).flatMap(SimulatedGpu::platform);
    }

    @Override
    public Optional<RecoveryAction> recoveryAction() throws NvmlException {
        return askIfSupported(NvmlCall.FIELD_VALUES).flatMap(SimulatedGpu::recoveryAction);
    }

    @Override
    public FabricAnswer fabric() throws NvmlException {
        try {
            SimulatedGpu gpu = ask(NvmlCall.FABRIC_INFO_V);
            Set<FabricInfoVersion> versions = session.nvml().tray().fabricVersions();
            if (versions.contains(FabricInfoVersion.V3)) {
                return answer(gpu, FabricInfoVersion.V3);
            }
            if (versions.contains(FabricInfoVersion.V2)) {
                return answer(gpu, FabricInfoVersion.V2);
            }
        } catch (CallFailed failure) {
            switch (failure.result()) {
                case Known.NOT_SUPPORTED -> {
                    return new FabricAnswer.NotSupported();
                }
                case Known.FUNCTION_NOT_FOUND, Known.ARGUMENT_VERSION_MISMATCH -> {}
                default -> throw failure;
            }
        }
        return olderFabric();
    }

    private FabricAnswer olderFabric() throws NvmlException {
        try {
            SimulatedGpu gpu = ask(NvmlCall.FABRIC_INFO);
            return session.nvml().tray().fabricVersions().contains(FabricInfoVersion.V1)
                    ? answer(gpu, FabricInfoVersion.V1)
                    : new FabricAnswer.DriverTooOld();
        } catch (CallFailed failure) {
            return switch (failure.result()) {
                case Known.NOT_SUPPORTED -> new FabricAnswer.NotSupported();
                case Known.FUNCTION_NOT_FOUND, Known.ARGUMENT_VERSION_MISMATCH -> new FabricAnswer.DriverTooOld();
                default -> throw failure;
            };
        }
    }

    private static FabricAnswer answer(SimulatedGpu gpu, FabricInfoVersion version) {
        return switch (gpu.fabric()) {
            case SimulatedFabric.CallNotSupported() -> new FabricAnswer.NotSupported();
            case SimulatedFabric.Answering answering ->
                new FabricAnswer.Reported(new FabricInfo(
                        answering.state(),
                        answering.status(),
                        answering.clusterUuid(),
                        answering.cliqueId(),
                        version == FabricInfoVersion.V1 ? Optional.empty() : Optional.of(answering.health()),
                        version == FabricInfoVersion.V3 ? Optional.of(answering.healthSummary()) : Optional.empty(),
                        version));
        };
    }

    private SimulatedGpu ask(NvmlCall call) throws NvmlException {
        return session.nvml().enter(call, index);
    }

    private Optional<SimulatedGpu> askIfSupported(NvmlCall call) throws NvmlException {
        try {
            return Optional.of(ask(call));
        } catch (CallFailed failure) {
            return switch (failure.result()) {
                case Known.NOT_SUPPORTED, Known.FUNCTION_NOT_FOUND -> Optional.empty();
                default -> throw failure;
            };
        }
    }
}
