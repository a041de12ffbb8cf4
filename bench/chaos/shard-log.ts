import type { ShardEntry } from '../../test/fakes/discord/gateway/gateway.ts';

/** A time in which a program stood still, ms as of `performance.now`. */
export interface Freeze {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A connection of a shard, until `toMs`. */
interface Connection {
  readonly shard: number;
  readonly client: string;
  readonly fromMs: number;
  toMs: number;
}

/** The connections in a gateway's log, in the order in which they began. */
const connectionsIn = (log: readonly ShardEntry[]): readonly Connection[] => {
  const all: Connection[] = [];
  const open = new Map<string, Connection>();
  for (const { client, session, shard, what, atMs } of log) {
    const before = open.get(session);
    if (before) before.toMs = atMs;
    open.delete(session);
    if (what === 'closed') continue;
    const begun: Connection = { shard: shard[0], client, fromMs: atMs, toMs: Infinity };
    open.set(session, begun);
    all.push(begun);
  }
  return all;
};

/** Who had which shard when, as the gateway saw it. */
export const readShardLog = (log: readonly ShardEntry[], freezes: readonly Freeze[]) => {
  const connections = connectionsIn(log);
  /** The time from which a connection served nobody: its program stood still, or it was closed. */
  const endOf = ({ client, fromMs, toMs }: Connection): number => {
    const frozen = freezes.find(
      (one) => one.name === client && one.fromMs >= fromMs && one.fromMs < toMs,
    );
    return frozen?.fromMs ?? toMs;
  };

  return {
    /** Time from a moment until each shard that a program had is connected elsewhere or again. */
    takenMs: (client: string, atMs: number): readonly number[] =>
      connections
        .filter((one) => one.client === client && one.fromMs < atMs && one.toMs >= atMs)
        .map(({ shard }) => {
          const next = connections.find((one) => one.shard === shard && one.fromMs > atMs);
          return next ? next.fromMs - atMs : Infinity;
        }),
    /** Connections of a shard while another program served it. */
    overlaps: (): number =>
      connections.filter((one) =>
        connections.some(
          (other) =>
            other.shard === one.shard &&
            other.client !== one.client &&
            other.fromMs < one.fromMs &&
            endOf(other) > one.fromMs,
        ),
      ).length,
    /** Share of a time in which shards were not connected, and the longest gap of one. */
    gaps: (
      shards: number,
      fromMs: number,
      toMs: number,
    ): { readonly share: number; readonly longestMs: number } => {
      let lostMs = 0;
      let longestMs = 0;
      for (let shard = 0; shard < shards; shard += 1) {
        let served = fromMs;
        const own = connections.filter((one) => one.shard === shard && endOf(one) > fromMs);
        for (const one of [...own, { fromMs: toMs, client: '', shard, toMs }]) {
          const gapMs = Math.max(0, Math.min(one.fromMs, toMs) - served);
          lostMs += gapMs;
          longestMs = Math.max(longestMs, gapMs);
          served = Math.max(served, Math.min(endOf(one), toMs));
        }
      }
      return { share: lostMs / (shards * (toMs - fromMs)), longestMs };
    },
    /** Time at which the connections that a program had at a moment were all closed. */
    closedMs: (client: string, atMs: number): number =>
      Math.max(
        atMs,
        ...connections
          .filter((one) => one.client === client && one.fromMs < atMs && one.toMs > atMs)
          .map(({ toMs }) => toMs),
      ),
  };
};
