package io.imexagent.imex.gate;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What the gate may ask of a host, from the cheapest question to the dearest. */
interface GateQuestions {

    /** The machine's vendor in its DMI table; empty where it has none. */
    Optional<String> vendor() throws IOException;

    /** NVIDIA's GPUs on the PCI bus. */
    List<PciGpu> pciGpus() throws IOException;

    /** Whether the kernel's module of the driver has registered its devices. */
    boolean driverUp() throws IOException;

    /**
     * What NVML says of driver and GPUs.
     *
     * @param within how long it may take
     * @return a driver that fails where it takes longer
     */
    NvmlWords nvml(Duration within) throws InterruptedException;

    /** Waits. */
    void pause(Duration time) throws InterruptedException;

    /** How long ago the gate was asked, the start of its process included. */
    Duration elapsed();
}
