import type { Channel } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { Store } from '../index.ts';
import { spaceColumns } from '../rows.ts';
import { formerWatch } from './watch-undos.ts';

/** The newest changes of a channel that are read; what was replaced before them is not known. */
const MOST_CHANGES = 200;

const formerValues = formerWatch.omit({ channel: true, group: true, choices: true });
type Values = Readonly<Record<string, unknown>> | null;

export type FormerSetups = ReturnType<typeof createFormerSetups>;

/** Reads the changes of a channel's setup, the newest first. */
const changesOf = async ({ space, id }: Channel, db: Pick<Store, 'selectFrom'>) => {
  const rows = await db
    .selectFrom('audit_entry')
    .select(['id', 'before', 'after'])
    .where((eb) => eb.and({ ...spaceColumns(space), what: 'watch', channel_id: id }))
    .orderBy('at_ms', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_CHANGES)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    before: JSON.parse(row.before ?? 'null') as Values,
    after: JSON.parse(row.after ?? 'null') as Values,
  }));
};

/** Finds what links replaced, by the audit trail, as long as that has the changes. */
export const createFormerSetups = (store: Pick<Store, 'selectFrom'>) => ({
  /**
   * Finds how a channel was set up before it was linked, without its rules, which outlast the end by themselves; undefined
   * where it was off then, is on now, was not linked when it was turned off, or where that is not known.
   */
  of: async (channel: Channel, db = store) => {
    const changes = await changesOf(channel, db);
    const [end] = changes;
    if (!end || end.after !== null) return undefined;
    let values = new Map<string, unknown>();
    for (const change of changes) {
      const { before, after } = change;
      // An undo sets back what ended right before it.
      if (!before && !after?.['isUndo']) return undefined;
      for (const name of Object.keys(after ?? {})) values.delete(name);
      values = new Map([...values, ...Object.entries(before ?? {})]);
      if (!before || values.get('mode') === 'mirror') continue;
      const { data } = change === end ? {} : formerValues.safeParse(Object.fromEntries(values));
      const watch = data && ({ ...data, channel } as ChannelWatch);
      return watch && { id: end.id, watch };
    }
    return undefined;
  },
  /** True where the first change after an end, of that id, set back what the link had replaced. */
  isBack: async (channel: Channel, id: string, db = store): Promise<boolean> => {
    const changes = await changesOf(channel, db);
    const after = changes[changes.findIndex((each) => each.id === id) - 1]?.after;
    // An undo of the end itself set back the link.
    return after?.['isUndo'] === true && after['mode'] !== 'mirror';
  },
});
