import type { PressContext } from '../../src/command/command.ts';
import type { AuditEntry } from '../../src/command/services.ts';
import { ACT_MS, actsOf, channelIdsIn, said } from './said.ts';
import type { AuditContext } from './values.ts';

/** Acts on a page. */
const LISTED = 10;
/** Entries that are read for one page: a person may be allowed to read few of them. */
const MOST_READ = 1_000;
/** Pages back to which a person can go, in the 100 characters of a press. */
const MOST_BACK = 6;

/** The beginning of a page: no act goes on from before this time to after it, and some acts before it are passed over. */
interface Place {
  /** ms since 1970. */
  readonly beforeMs: number;
  readonly skip: number;
}

const PLACE = /^(?<at>[0-9a-z]{1,11})\.(?<skip>\d{1,4})$/;

/** The beginnings of the pages that a person turned to, the shown one last; none on the first page. */
export const turnedIn = ({ arg }: Pick<PressContext, 'arg'>): readonly Place[] =>
  arg.split(',').flatMap((each) => {
    const { at, skip } = PLACE.exec(each)?.groups ?? {};
    return at === undefined ? [] : [{ beforeMs: Number.parseInt(at, 36), skip: Number(skip) }];
  });

/** The part of a press that `turnedIn` reads. */
export const turnedArg = (turned: readonly Place[]): string =>
  turned
    .slice(-MOST_BACK)
    .map(({ beforeMs, skip }) => `${beforeMs.toString(36)}.${skip}`)
    .join(',');

/** Finds those of some entries that a person may read, with a sentence on each. */
export const readable = async (entries: readonly AuditEntry[], ctx: AuditContext) => {
  const { access, services, channel } = ctx;
  const { space } = channel;
  const ids = new Set(entries.flatMap(channelIdsIn));
  const seen = await access.seen([...ids], (id) => ({ space, id }));
  const isSeen = new Set(seen);
  const blocked = await services.blocks.list(space);
  return {
    seen,
    isSeen,
    shown: entries.filter(({ channelId }) => channelId === undefined || isSeen.has(channelId)),
    say: (entry: AuditEntry) => said(entry, blocked, isSeen, ctx),
  };
};

/** The last place in a list, up to one, that no act goes across; 0 for none. */
const borderIn = (entries: readonly AuditEntry[], upTo = entries.length): number =>
  Math.max(
    0,
    entries.findLastIndex(
      ({ atMs }, at) => at > 0 && at <= upTo && entries[at - 1]!.atMs - atMs >= ACT_MS,
    ),
  );

/** Reads the acts of one page, each with all of its entries, and where the next page begins. */
export const readActs = async (ctx: AuditContext, place: Place | undefined) => {
  const { beforeMs, skip = 0 } = place ?? {};
  const end = skip + LISTED;

  const pageOf = async (entries: readonly AuditEntry[], isCut = false) => {
    const read = await readable(entries, ctx);
    const acts = actsOf(read.shown);
    const following = acts[end]?.entry;
    const upTo = following ? entries.indexOf(following) : entries.length;
    const border = isCut && !following ? upTo : borderIn(entries, upTo);
    const before = entries[border - 1]?.atMs ?? beforeMs ?? (entries[0]?.atMs ?? 0) + 1;
    const passed = acts.slice(0, end).filter(({ entry }) => entry.atMs < before);
    return {
      ...read,
      acts: acts.slice(skip, end),
      all: entries.slice(0, upTo),
      next: following || isCut ? { beforeMs: before, skip: passed.length } : undefined,
    };
  };

  const entries: AuditEntry[] = [];
  for await (const slice of ctx.services.audit.list(ctx.channel.space, beforeMs)) {
    entries.push(...slice);
    const page = await pageOf(entries.slice(0, borderIn(entries)));
    if (page.next) return page;
    if (entries.length >= MOST_READ) return pageOf(entries, true);
  }
  return pageOf(entries);
};
