import type { Api } from './api.ts';
import { PLATFORM } from './ids.ts';
import type { People } from './people.ts';
import { ANSWERING, type CallPriority } from './rate-limiter.ts';
import { createCache } from '../../src/async/lru.ts';
import { MINUTE_MS } from '../../src/async/clock.ts';
import { NAMED_MS, within } from '../../src/autotranslate/watched-platforms.ts';
import { toAppError } from '../../src/errors.ts';
import type { Content } from '../../src/model/message.ts';
import type { Space } from '../../src/model/place.ts';
import type { Mention, RichText } from '../../src/rich-text/rich-text.ts';
import { withNames } from '../../src/rich-text/reduce.ts';

/** Workspaces whose groups are cached, and for how long. */
const CACHED_SPACES = 1_000;
const LIFE_MS = 10 * MINUTE_MS;

declare const NAMED: unique symbol;

/** Content whose people and groups have names, as `Mentions.on` gives it: nothing else is shown. */
export type NamedContent = Content & { readonly [NAMED]: true };

const isNameless = ({ name }: Mention): boolean => name === undefined;

export type Mentions = ReturnType<typeof createMentions>;

/**
 * Creates what names the people and groups in texts. A mention of Slack notifies whoever it names, so
 * that only names are posted.
 */
export const createMentions = (api: Api, people: Pick<People, 'of'>, now: () => number) => {
  const groups = createCache(
    async (space: Space) => {
      const { usergroups = [] } = await api.call(space, 'usergroups.list');
      return new Map(usergroups.map(({ id, handle }) => [id, handle]));
    },
    { keyOf: ({ id }) => id, most: CACHED_SPACES, lifeMs: LIFE_MS, now },
  );

  const nameOf = async (
    space: Space,
    { target, id, name: known }: Mention,
    mayFail: boolean,
    priority?: CallPriority,
  ): Promise<string | undefined> => {
    try {
      if (target === 'member') return (await people.of(space, id, priority)).name;
      if (target !== 'group') return known;
      const handles = await groups.of(space);
      return handles.get(id) ?? known;
    } catch (thrown) {
      if (mayFail && toAppError(thrown).retryable) throw thrown;
      return known;
    }
  };

  return {
    forgetSpace: (space: Space): void => groups.forget(space),
    /** Gives each mention of a person or group in a workspace its name; those not known stay without. */
    named: async (space: Space, tree: RichText): Promise<RichText> =>
      withNames(tree, PLATFORM, async (node) => nameOf(space, node, false)),
    /** Gives mentions in content that have no name yet theirs, before it is shown; one that takes long stays unknown. */
    on: async (space: Space, content: Content): Promise<NamedContent> => {
      const nameFor = async (node: Mention): Promise<string | undefined> =>
        within(NAMED_MS, nameOf(space, node, false, ANSWERING), undefined);
      const text = await withNames(content.text, PLATFORM, nameFor, isNameless);
      return { ...content, text } as NamedContent;
    },
    /**
     * Gives those mentions a name that have none yet, before they are posted. Rejects where another try
     * may find it.
     */
    completed: async (space: Space, tree: RichText): Promise<RichText> =>
      withNames(tree, PLATFORM, async (node) => nameOf(space, node, true), isNameless),
  };
};
