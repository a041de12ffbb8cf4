interface Owner {
  readonly memberId: string;
  lastMs: number;
}
interface Stranger {
  packets: number;
  readonly sinceMs: number;
  lastMs: number;
}

/** Packets that prove a stream: a single one may be stray. */
const PROOF_PACKETS = 3;
/** Time that proves a stream: packets of a newcomer may arrive before the gateways report them. */
const PROOF_MS = 500;
/** Packets of a member who has just left that may still be on their way. */
const LEFTOVER_PACKETS = 50;
/** Silence after which a stream is no longer considered. */
const FORGOTTEN_MS = 2_000;
const MOST_STRANGERS = 32;
/** Every how many packets without an owner one is decrypted to find their sender. */
const PROBE_EVERY = 5;
/** Most owners; beyond it, those who spoke first are dropped. */
const MOST_OWNERS = 1_000;

/** Maps streams to members: Discord reports an owner once, at their first speech. */
export const createSsrcs = (nowMs: () => number) => {
  const owners = new Map<number, Owner>();
  const strangers = new Map<number, Stranger>();

  const forgetSilent = (): void => {
    const now = nowMs();
    for (const [ssrc, { lastMs }] of strangers)
      if (now - lastMs > FORGOTTEN_MS) strangers.delete(ssrc);
  };
  const strangerOf = (ssrc: number): Stranger => {
    const known = strangers.get(ssrc);
    if (known) return known;
    if (strangers.size >= MOST_STRANGERS) strangers.delete(strangers.keys().next().value!);
    const stranger = { packets: 0, sinceMs: nowMs(), lastMs: nowMs() };
    strangers.set(ssrc, stranger);
    return stranger;
  };
  const isProven = ({ packets, sinceMs }: Stranger): boolean =>
    packets >= PROOF_PACKETS && nowMs() - sinceMs >= PROOF_MS;
  const without = (presentIds: readonly string[], isOut: (owner: Owner) => boolean): string[] => {
    const out = new Set(
      owners
        .values()
        .filter(isOut)
        .map(({ memberId }) => memberId),
    );
    return presentIds.filter((id) => !out.has(id));
  };
  const unnamed = (presentIds: readonly string[]): string[] => without(presentIds, () => true);

  const assign = (ssrc: number, memberId: string): void => {
    for (const [old, owner] of owners) if (owner.memberId === memberId) owners.delete(old);
    if (owners.size >= MOST_OWNERS) owners.delete(owners.keys().next().value!);
    owners.set(ssrc, { memberId, lastMs: nowMs() });
    strangers.delete(ssrc);
  };

  return {
    /** The owner of a packet that arrived; undefined when it is not known. */
    ownerOf: (ssrc: number): string | undefined => {
      const owner = owners.get(ssrc);
      if (owner) owner.lastMs = nowMs();
      return owner?.memberId;
    },
    /** Notes an owner that the gateway reported (op 5, op 12). */
    assign,
    /** Notes that a member left: their last packets have no owner. */
    remove: (memberId: string): void => {
      for (const [ssrc, owner] of owners)
        if (owner.memberId === memberId) {
          owners.delete(ssrc);
          strangerOf(ssrc);
        }
      for (const stranger of strangers.values()) stranger.packets = -LEFTOVER_PACKETS;
    },
    /** Drops all owners: a new voice server assigns new numbers. */
    clear: (): void => {
      owners.clear();
      strangers.clear();
    },
    /**
     * Guesses the owner of a packet without a known one. When exactly one of the members present has
     * no number, and only this number has had no owner for a while, it is theirs.
     *
     * @param presentIds ids of all who are present, including bots
     */
    guess: (ssrc: number, presentIds: readonly string[]): string | undefined => {
      forgetSilent();
      const stranger = strangerOf(ssrc);
      stranger.packets += 1;
      stranger.lastMs = nowMs();
      if (!isProven(stranger) || strangers.size > 1) return undefined;
      const [only, ...others] = unnamed(presentIds);
      if (only === undefined || others.length > 0) return undefined;
      assign(ssrc, only);
      return only;
    },
    /** True of the packets without an owner whose sender is worth looking for by decryption. */
    isProbeDue: (ssrc: number): boolean => {
      const stranger = strangers.get(ssrc);
      return stranger !== undefined && isProven(stranger) && stranger.packets % PROBE_EVERY === 0;
    },
    /** Time since the first packets without an owner. */
    unknownForMs: (): number => {
      forgetSilent();
      const since = strangers.values().map(({ sinceMs }) => sinceMs);
      return nowMs() - Math.min(nowMs(), ...since);
    },
    /**
     * Members who may own these packets: those without a number, or else with one that was silent
     * for longer than `silentMs`.
     */
    suspects: (presentIds: readonly string[], silentMs = FORGOTTEN_MS): string[] => {
      const nameless = unnamed(presentIds);
      if (nameless.length > 0) return nameless;
      return without(presentIds, ({ lastMs }) => nowMs() - lastMs <= silentMs);
    },
  };
};
