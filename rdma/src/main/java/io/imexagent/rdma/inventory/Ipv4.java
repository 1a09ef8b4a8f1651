package io.imexagent.rdma.inventory;

/**
 * An IPv4 address.
 *
 * @param bits its 32 bits, the first octet in the highest
 */
public record Ipv4(int bits) {

    @Override
    public String toString() {
        return (bits >>> 24) + "." + ((bits >>> 16) & 0xff) + "." + ((bits >>> 8) & 0xff) + "." + (bits & 0xff);
    }
}
