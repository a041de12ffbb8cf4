import type { PersonElsewhere } from '../../model/blocks.ts';
import { keyOf, type Space } from '../../model/place.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import { quotedWords } from '../../text/quoted-words.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import { spaceElsewhere } from './names.ts';

export interface PeopleElsewhereDeps {
  readonly watches: Pick<WatchStore, 'list' | 'group'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
}

/** Creates `Blocks.lookUp`. */
export const createPeopleElsewhere =
  ({ watches, platforms }: PeopleElsewhereDeps) =>
  async (space: Space, id: string): Promise<readonly PersonElsewhere[]> => {
    const linked = watches.list(space).flatMap((watch) => watches.group(watch));
    const spaces = new Map(linked.map(({ channel }) => [keyOf(channel.space), channel.space]));
    spaces.delete(keyOf(space));
    const found = [...spaces.values()].map(async (one) => {
      const name = await platforms.find({ space: one })?.feed.personName?.(one, id);
      if (name === undefined) return [];
      const around = await spaceElsewhere(one, platforms);
      return [{ platform: one.platform, id, name: `${quotedWords(name)} · ${around}` }];
    });
    const people = (await Promise.all(found)).flat();
    return [...new Map(people.map((each) => [each.platform, each])).values()];
  };
