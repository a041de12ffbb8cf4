import type { Transaction } from 'kysely';
import { keyOf } from '../../model/place.ts';
import type { WatchRules } from '../../model/rules.ts';
import type { ChannelWatch } from '../../model/space.ts';
import { spaceColumns } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { WatchesById } from './watch-rows.ts';

/** Takes the place of a person who is forgotten out of rules. */
const withoutForgotten = ({ people, ...rules }: WatchRules): WatchRules =>
  people ? { ...rules, people: { ...people, of: people.of.filter(Boolean) } } : rules;

/**
 * Gives channels that are turned on without rules those that they had when they were turned off. The audit trail has them,
 * as long as it has that change.
 */
export const bringBackRules = async (
  db: Transaction<Schema>,
  before: WatchesById,
  next: WatchesById,
): Promise<void> => {
  const turnedOn = [...next].flatMap(([key, { watch }]) =>
    before.has(key) || watch.choices?.rules ? [] : [[key, watch.channel] as const],
  );
  const bySpace = Map.groupBy(turnedOn, ([, { space }]) => keyOf(space));
  for (const channels of bySpace.values()) {
    const ids = channels.map(([, { id }]) => id);
    const isEnd = { ...spaceColumns(channels[0]![1].space), what: 'watch', after: null };
    const ofChannels = db
      .selectFrom('audit_entry')
      .where((eb) => eb.and(isEnd))
      .where('channel_id', 'in', ids);
    const newest = ofChannels.select(({ fn }) => fn.max('at_ms').as('at_ms')).groupBy('channel_id');
    const ends = await ofChannels
      .select(['channel_id', 'before'])
      .where('at_ms', 'in', newest)
      .orderBy('at_ms')
      .execute();
    const last = new Map(ends.map((end) => [end.channel_id, end.before]));
    for (const [key, { id }] of channels) {
      const { choices } = JSON.parse(last.get(id) ?? '{}') as Pick<ChannelWatch, 'choices'>;
      const stored = next.get(key);
      if (!stored || !choices?.rules) continue;
      const rules = withoutForgotten(choices.rules);
      const { watch } = stored;
      next.set(key, { ...stored, watch: { ...watch, choices: { ...watch.choices, rules } } });
    }
  }
};
