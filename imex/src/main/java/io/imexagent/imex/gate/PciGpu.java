package io.imexagent.imex.gate;

/**
 * An NVIDIA GPU on the PCI bus.
 *
 * @param address where it sits, as the kernel writes it: {@code 0008:06:00.0}
 * @param device its device ID, four lower-case hexadecimal digits: {@code 2941} for a GB200
 */
public record PciGpu(String address, String device) {}
