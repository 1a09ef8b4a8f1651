package io.imexagent.rdma.inventory;

/** An IPv4 address as 32 bits, the first octet in the highest. */
public record Ipv4(int bits) {

    @Override
    public String toString() {
        return (bits >>> 24) + "." + ((bits >>> 16) & 0xff) + "." + ((bits >>> 8) & 0xff) + "." + (bits & 0xff);
    }

    /** An IPv4 subnet: its first address and the length of the prefix, 0 to 32. */
    public record Subnet(Ipv4 network, int prefixLength) {

        /** Clears the bits after the prefix. */
        public Subnet {
            if (prefixLength < 0 || prefixLength > 32) {
                throw new IllegalArgumentException("no prefix length: " + prefixLength);
            }
            network = new Ipv4(network.bits() & mask(prefixLength));
        }

        public boolean contains(Ipv4 address) {
            return (address.bits() & mask(prefixLength)) == network.bits();
        }

        private static int mask(int prefixLength) {
            return prefixLength == 0 ? 0 : -1 << (32 - prefixLength);
        }

        @Override
        public String toString() {
            return network + "/" + prefixLength;
        }
    }
}
