import type { Change, ExternalSender, Proposal } from './external-sender.ts';
import type { KeyPackage } from './leaf-node.ts';
import type { DaveClient } from './port.ts';
import { concat, u8, vector } from './tls.ts';

const [APPEND, REVOKE] = [u8(0), u8(1)];

/** A connected client. */
export interface Seat {
  readonly client: DaveClient;
  readonly dave: boolean;
  /** What it is to be added by, while it is pending. */
  keyPackage?: KeyPackage | undefined;
  /** Its place in the group; none while it is pending. */
  leaf?: number | undefined;
  /** The proposals of this epoch that it knows. */
  told: readonly Proposal[];
}

const isSame = (one: Change, other: Change): boolean =>
  'add' in one
    ? 'add' in other && one.keyPackage === other.keyPackage
    : 'remove' in other && one.remove === other.remove;

/** The proposals of one epoch that wait for a commit. */
export class Batch {
  readonly #sender: ExternalSender;
  #proposals: readonly Proposal[] = [];

  constructor(sender: ExternalSender) {
    this.#sender = sender;
  }
  get isEmpty(): boolean {
    return this.#proposals.length === 0;
  }
  clear(): void {
    this.#proposals = [];
  }
  /**
   * Gives all up where one is no longer wanted. What is left must be proposed anew: davey makes no
   * welcome when it commits again after a withdrawal.
   */
  withdraw(wanted: readonly Change[]): void {
    if (!this.#proposals.every(({ change }) => wanted.some((one) => isSame(one, change))))
      this.clear();
  }
  add(wanted: readonly Change[], epoch: bigint): void {
    const fresh = wanted.filter((one) => !this.changes().some((change) => isSame(one, change)));
    this.#proposals = [
      ...this.#proposals,
      ...fresh.map((change) => this.#sender.propose(epoch, change)),
    ];
  }
  /** What a client is to commit: all, but not its own entry into a group of its own. */
  for(seat: Seat, established: boolean): readonly Proposal[] {
    if (established) return seat.leaf === undefined ? [] : this.#proposals;
    return this.#proposals.filter(
      ({ change }) => !('add' in change && change.add === seat.client.userId),
    );
  }
  /** In the order in which a commit names them. */
  changes(
    references: readonly string[] = this.#proposals.map(({ reference }) => reference),
  ): Change[] {
    return references.flatMap((reference) =>
      this.#proposals.filter((each) => each.reference === reference).map(({ change }) => change),
    );
  }
  /** What has to be said to a client in op 27, so that it knows all of its proposals and no other. */
  tell(seat: Seat, established: boolean): Buffer[] {
    const due = this.for(seat, established);
    const isStale = seat.told.some((proposal) => !due.includes(proposal));
    const stale = isStale ? seat.told : [];
    const fresh = due.filter((proposal) => isStale || !seat.told.includes(proposal));
    seat.told = due;
    const references = stale.map(({ reference }) => vector(Buffer.from(reference, 'hex')));
    return [
      ...(stale.length > 0 ? [concat(REVOKE, vector(...references))] : []),
      ...(fresh.length > 0 ? [concat(APPEND, vector(...fresh.map(({ bytes }) => bytes)))] : []),
    ];
  }
}
