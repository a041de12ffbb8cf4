/** Puts Opus packets of several streams into one (RFC 7845 section 3, RFC 6716 appendix B). */

const lengthOf = (bytes: number): number[] =>
  bytes < 252 ? [bytes] : [252 + (bytes % 4), (bytes - 252 - (bytes % 4)) / 4];

/** A packet that gives the length of its last frame as well, from a packet of one frame. */
const delimited = (packet: Uint8Array): Uint8Array => {
  if ((packet[0]! & 3) !== 0) throw new Error('a packet of one frame expected');
  return Uint8Array.of(packet[0]!, ...lengthOf(packet.length - 1), ...packet.subarray(1));
};

/** One packet of one packet of each stream, all of one frame. */
export const joinStreams = (packets: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(Buffer.concat([...packets.slice(0, -1).map(delimited), packets.at(-1)!]));
