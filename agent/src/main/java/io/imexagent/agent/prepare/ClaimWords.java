package io.imexagent.agent.prepare;

/**
 * How people are told what the claims of a driver hold.
 *
 * @param device one of the devices, with its article
 * @param devices the devices, in plural
 * @param workloads the pods that have them
 */
public record ClaimWords(String device, String devices, String workloads) {

    /** Of the driver of IMEX channels. */
    public static final ClaimWords CHANNELS = new ClaimWords("a channel", "channels", "ComputeDomain workloads");

    /** Of the driver of RDMA NICs. */
    public static final ClaimWords RAILS = new ClaimWords("an RDMA NIC", "RDMA NICs", "workloads with RDMA NICs");
}
