/** A translation that stands somewhere: which message it is of, and when it was posted. */
export interface Shown {
  readonly source: string;
  /** Unix time, ms. */
  readonly atMs: number;
}

/** A message that was said. */
export interface Said {
  readonly id: string;
  /** Unix time, ms. */
  readonly atMs: number;
}

/** What is to stand in one place: translations of these messages, in their order. */
export interface Place {
  readonly name: string;
  readonly said: readonly Said[];
  /** In the order in which they stand. */
  readonly shown: readonly Shown[];
  /** Sources that the platform itself delivered late: their order is not judged. */
  readonly late?: ReadonlySet<string>;
}

/** A message with more than one translation in a place. */
export interface Doubled {
  readonly place: string;
  readonly source: string;
  readonly atMs: readonly number[];
}

/** A translation that stands after that of a message which was said later. */
export interface Unordered {
  readonly place: string;
  readonly saidMs: number;
  readonly shownMs: number;
  /** Those of the message that was said later. */
  readonly laterSaidMs: number;
  readonly laterShownMs: number;
}

export interface Judgement {
  readonly lost: readonly { readonly place: string; readonly source: string }[];
  readonly doubled: readonly Doubled[];
  readonly unordered: readonly Unordered[];
  /** Time from a message to its first translation, one for each that has one. */
  readonly waitsMs: readonly number[];
  /** Time of the last translation. */
  readonly lastMs: number;
}

const judgePlace = ({ name, said, shown, late = new Set() }: Place): Judgement => {
  const rank = new Map(said.map(({ id }, index) => [id, index]));
  const first = new Map<string, number[]>();
  const unordered: Unordered[] = [];
  let newest = -1;
  let newestShownMs = 0;
  for (const { source, atMs } of shown) {
    const known = first.get(source);
    if (known) {
      known.push(atMs);
      continue;
    }
    first.set(source, [atMs]);
    if (late.has(source)) continue;
    const index = rank.get(source) ?? -1;
    if (index > newest) {
      newest = index;
      newestShownMs = atMs;
    } else
      unordered.push({
        place: name,
        saidMs: said[index]?.atMs ?? 0,
        shownMs: atMs,
        laterSaidMs: said[newest]?.atMs ?? 0,
        laterShownMs: newestShownMs,
      });
  }
  return {
    lost: said.filter(({ id }) => !first.has(id)).map(({ id }) => ({ place: name, source: id })),
    doubled: [...first].flatMap(([source, atMs]) =>
      atMs.length > 1 ? [{ place: name, source, atMs }] : [],
    ),
    unordered,
    waitsMs: said.flatMap(({ id, atMs }) => {
      const [shownMs] = first.get(id) ?? [];
      return shownMs === undefined ? [] : [shownMs - atMs];
    }),
    lastMs: Math.max(0, ...shown.map(({ atMs }) => atMs)),
  };
};

export const judge = (places: readonly Place[]): Judgement => {
  const each = places.map(judgePlace);
  return {
    lost: each.flatMap(({ lost }) => lost),
    doubled: each.flatMap(({ doubled }) => doubled),
    unordered: each.flatMap(({ unordered }) => unordered),
    waitsMs: each.flatMap(({ waitsMs }) => waitsMs),
    lastMs: Math.max(...each.map(({ lastMs }) => lastMs)),
  };
};
