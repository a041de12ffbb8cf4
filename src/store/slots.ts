/** Number of hash slots: groups of partitions, each of which one process works on at a time. */
export const SLOTS = 64;

/** Constants of FNV-1a with 32 bits. */
const [OFFSET, PRIME] = [0x81_1c_9d_c5, 0x01_00_01_93];

/** The hash slot of a partition, 0 to `SLOTS - 1`; stored, so that it never changes. */
export const slotOf = (partition: string): number => {
  let hash = OFFSET;
  for (let at = 0; at < partition.length; at += 1)
    hash = Math.imul(hash ^ partition.charCodeAt(at), PRIME);
  return ((hash >>> 16) ^ hash) & (SLOTS - 1);
};
