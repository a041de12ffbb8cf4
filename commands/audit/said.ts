import { listOf, quotedWords } from '../../src/command/helpers.ts';
import type { AuditEntry, BlockedPerson } from '../../src/command/services.ts';
import { channelMention } from '../../src/model/place.ts';
import { isPaused, type SpaceChoices } from '../../src/model/space.ts';
import { series, type RichPart } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import type { AuditContext } from './values.ts';

const NAME_CHARS = 60;

/** The kinds of sentences that tell of changes. */
export const SAID = [
  'on',
  'off',
  'linked',
  'unlinked',
  'taken-out',
  'paused',
  'resumed',
  'muted',
  'unmuted',
  'held',
  'unheld',
  'unagreed',
  'agreed',
  'held-by',
  'unheld-by',
  'changed',
  'setting',
  'link-code',
  'link-asked',
  'link-refused',
  'link-withdrawn',
  'blocked',
  'banned',
  'unblocked',
  'key-set',
  'key-removed',
] as const;
type SaidAs = (typeof SAID)[number];

/** A kind of sentence, and the other channels in it. */
type Part = readonly [SaidAs, readonly string[]];

type Values = AuditEntry['before'];

const stringsIn = (values: Values, name: string): readonly string[] => {
  const found = values?.[name];
  return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : [];
};

/** The channels that a watch is linked with: own ones by id, others by name. */
const linkedIn = (values: Values): readonly string[] => [
  ...stringsIn(values, 'linkedWith'),
  ...stringsIn(values, 'linkedElsewhere'),
];

/** The names of the first list that are not in the second one, where each stands for one of the same in the first. */
const without = (all: readonly string[], some: readonly string[]): readonly string[] => {
  const left = [...some];
  return all.filter((each) => {
    const at = left.indexOf(each);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
};

const wasPaused = (values: Values): boolean => isPaused({ choices: values?.['choices'] ?? {} });

const partsOfWatch = ({ before, after }: AuditEntry): readonly Part[] => {
  const [linked, formerly] = [linkedIn(after), linkedIn(before)];
  const differing = (name: string, as: SaidAs): Part[] => {
    const [now, once] = [stringsIn(after, name), stringsIn(before, name)];
    return [
      [as, without(now, once)],
      [`un${as}` as SaidAs, without(once, now)],
    ];
  };
  const [shut, wasShut] = [stringsIn(after, 'unagreed'), stringsIn(before, 'unagreed')];
  const parted = without(formerly, linked);
  const parts: Part[] = [
    ['linked', without(linked, formerly)],
    // Of a channel that stays in its group, others left it.
    [linked.length > 0 ? 'taken-out' : 'unlinked', parted],
    ...differing('muted', 'muted'),
    ...differing('held', 'held'),
    ...differing('heldBy', 'held-by'),
    ['unagreed', without(shut, wasShut)],
    ['agreed', without(without(wasShut, shut), parted)],
  ];
  const told = parts.filter(([, channels]) => channels.length > 0);
  const [isNow, was] = [wasPaused(after), wasPaused(before)];
  if (isNow !== was && before && after) told.push([isNow ? 'paused' : 'resumed', []]);
  if (told.length > 0) return told;
  if (!before) return [['on', []]];
  return [[after ? 'changed' : 'off', []]];
};

const partsOf = (entry: AuditEntry): readonly Part[] => {
  const { what, after } = entry;
  if (what === 'watch') return partsOfWatch(entry);
  if (what === 'blocked') return [[after?.['isBan'] === true ? 'banned' : 'blocked', []]];
  return [[what, linkedIn(after)]];
};

/** Ids of the channels in values of settings. */
const chosenIn = ({ quietChannels, links, rooms, moderators }: Partial<SpaceChoices>) => [
  ...(quietChannels ?? []),
  ...(links?.channels ?? []),
  ...(rooms?.joins ?? []),
  ...(rooms?.readAloud ?? []),
  ...(moderators ? [moderators.channel] : []),
];

/** Ids of the channels of the own space that an entry names. */
export const channelIdsIn = ({ channelId, before, after }: AuditEntry): readonly string[] => [
  ...(channelId === undefined ? [] : [channelId]),
  ...[before, after].flatMap((values) => [
    ...stringsIn(values, 'linkedWith'),
    ...chosenIn(values ?? {}),
  ]),
];

/** An entry without the ids of channels that the reader does not see. */
export const withoutHidden = (entry: AuditEntry, seen: ReadonlySet<string>): AuditEntry => {
  const hidden = new Set(channelIdsIn(entry).filter((id) => !seen.has(id)));
  const clean = (values: Values): Values =>
    values &&
    (JSON.parse(JSON.stringify(values), (_, value: unknown) =>
      typeof value === 'string' && hidden.has(value) ? '' : value,
    ) as Values);
  return { ...entry, before: clean(entry.before), after: clean(entry.after) };
};

/** Time within which changes of the same person are one act, ms: each channel of a group has an entry of its own. */
export const ACT_MS = 1_000;

interface Link {
  readonly entry: AuditEntry;
  readonly as: SaidAs;
  readonly named: ReadonlySet<string>;
}

/** The one that names the most channels first. */
const byReach = (a: Link, b: Link): number =>
  b.named.size - a.named.size || (a.entry.channelId ?? '').localeCompare(b.entry.channelId ?? '');

/** An entry, and those of links by the same act of which it tells, too. */
export interface Act {
  readonly entry: AuditEntry;
  readonly others: readonly AuditEntry[];
}

const OF_LINKS: ReadonlySet<SaidAs> = new Set(['linked', 'unlinked', 'taken-out']);

/** Puts the entries together that are one act. */
export const actsOf = (entries: readonly AuditEntry[]): readonly Act[] => {
  const links = entries.flatMap((entry): readonly Link[] => {
    const [[as, channels] = [], ...others] = partsOf(entry);
    if (!as || !OF_LINKS.has(as) || others.length > 0) return [];
    return [{ entry, as, named: new Set([entry.channelId ?? '', ...(channels ?? [])]) }];
  });
  const told: Link[] = [];
  const others = new Map<AuditEntry, AuditEntry[]>();
  for (const link of links.toSorted(byReach)) {
    const { entry, as, named } = link;
    const by = told.find(
      (one) =>
        Math.abs(one.entry.atMs - entry.atMs) < ACT_MS &&
        one.entry.by?.id === entry.by?.id &&
        one.entry.elsewhere === entry.elsewhere &&
        (one.as === as || (one.as === 'unlinked' && as === 'taken-out')) &&
        named.isSubsetOf(one.named),
    );
    if (by) others.get(by.entry)?.push(entry);
    else {
      told.push(link);
      others.set(entry, []);
    }
  }
  const left = new Set([...others.values()].flat());
  return entries
    .filter((entry) => !left.has(entry))
    .map((entry) => ({ entry, others: others.get(entry) ?? [] }));
};

/**
 * Says what was changed, and by whom or in which server where that is known here.
 *
 * @param seen ids of the channels that the reader sees; others are not named
 */
export const said = (
  entry: AuditEntry,
  blocked: readonly BlockedPerson[],
  seen: ReadonlySet<string>,
  { channel: { space }, t, locale }: AuditContext,
): RichText => {
  const { by, elsewhere: server, what, channelId = '', about, after } = entry;
  const own = new Set(channelIdsIn(entry));
  const named = (channels: readonly string[]): RichText => {
    const known = channels.filter((each) => seen.has(each) || !own.has(each));
    const hidden = channels.length - known.length;
    return listOf(
      [
        ...known.map((each): RichPart =>
          own.has(each) ? channelMention({ space, id: each }) : each,
        ),
        ...(hidden > 0 ? [t('channels.hidden', { count: hidden })] : []),
      ],
      locale,
    );
  };
  const noted = after?.['name'];
  const person = typeof noted === 'string' ? noted : blocked.find(({ key }) => key === about)?.name;
  // A request from elsewhere is in the name of whom its question names.
  const doer = by?.name ?? (what === 'link-asked' ? person : undefined);
  const who =
    doer === undefined
      ? server !== undefined && t('audit.moderators-of', { server })
      : quotedWords(doer, NAME_CHARS);
  const sentences = series(
    partsOf(entry).map(([as, channels]) =>
      t(`audit.said.${as}`, {
        who: who ? 'somebody' : 'nobody',
        name: who || '',
        channel: channelMention({ space, id: channelId }),
        channels: named(channels),
        person: person === undefined ? t('audit.a-person') : quotedWords(person, NAME_CHARS),
      }),
    ),
    ' ',
  );
  return after?.['isUndo'] === true
    ? series([t('autotranslate.wizard-undo'), sentences])
    : sentences;
};
