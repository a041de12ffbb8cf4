import type { Change } from './external-sender.ts';

interface Leaf {
  readonly userId: string;
  /** Unknown of a founder that never offered a key package. */
  readonly signatureKey: Buffer | undefined;
}

/** Who has which leaf of the group, as far as a voice server follows it (RFC 9420, section 7.7). */
export class Tree {
  /** 0 until a first commit has made the group. */
  epoch = 0n;
  #leaves: (Leaf | undefined)[] = [];

  get established(): boolean {
    return this.epoch > 0n;
  }
  reset(): void {
    this.epoch = 0n;
    this.#leaves = [];
  }
  /** A pending member's own group of one: it becomes the group with the commit that follows. */
  found(founder: Leaf): void {
    this.#leaves = [founder];
  }
  at(leaf: number): Leaf | undefined {
    return this.#leaves[leaf];
  }
  /** Goes to the next epoch. Who goes has gone before anybody takes the leftmost free leaf. */
  commit(changes: readonly Change[]): Map<string, number> {
    for (const change of changes) if ('remove' in change) this.#leaves[change.remove] = undefined;
    const added = new Map<string, number>();
    for (const change of changes) {
      if ('remove' in change) continue;
      const blank = this.#leaves.indexOf(undefined);
      const leaf = blank === -1 ? this.#leaves.length : blank;
      this.#leaves[leaf] = { userId: change.add, signatureKey: change.keyPackage.signatureKey };
      added.set(change.add, leaf);
    }
    this.epoch += 1n;
    return added;
  }
}
