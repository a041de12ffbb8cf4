import { z } from 'zod';
import type { Api } from './api.ts';
import { PLATFORM } from './ids.ts';
import type { People } from './people.ts';
import { createCache } from '../../src/async/lru.ts';
import type { Space } from '../../src/model/place.ts';
import { mention, type Mention, type RichText } from '../../src/model/rich-text.ts';
import { map, visit } from '../../src/model/walk-rich-text.ts';

const usergroups = z.object({
  usergroups: z.array(z.object({ id: z.string(), handle: z.string() })),
});

/** Workspaces whose groups are remembered, and for how long. */
const KEPT = 1_000;
const KEPT_MS = 600_000;

export type Mentions = ReturnType<typeof createMentions>;

/**
 * Creates what names the people and groups in texts. A mention of Slack notifies whoever it names, so
 * that only names are posted.
 */
export const createMentions = (api: Api, people: Pick<People, 'of'>, now: () => number) => {
  const groups = createCache(
    async ({ space }: { readonly space: Space; readonly turn: number }) => {
      const answer = usergroups.parse(await api.call(space, 'usergroups.list'));
      return new Map(answer.usergroups.map(({ id, handle }) => [id, handle]));
    },
    { keyOf: ({ space, turn }) => `${space.id} ${turn}`, most: KEPT },
  );

  const nameOf = async (
    space: Space,
    { target, id, name }: Mention,
  ): Promise<string | undefined> => {
    try {
      if (target === 'member') return (await people.of(space, id)).name;
      if (target !== 'group') return name;
      const known = await groups.of({ space, turn: Math.floor(now() / KEPT_MS) });
      return known.get(id) ?? name;
    } catch {
      return name;
    }
  };

  return {
    /** Drops what is known of a workspace. */
    forgetSpace: (space: Space): void => groups.forgetWhere((asked) => asked.space.id === space.id),
    /** Gives each mention of a person or group in a workspace its name; those not known stay without. */
    named: async (space: Space, tree: RichText): Promise<RichText> => {
      const names = new Map<Mention, string | undefined>();
      visit(tree, (node) => {
        if (node.kind === 'mention' && node.platform === PLATFORM) names.set(node, undefined);
      });
      if (names.size === 0) return tree;
      await Promise.all(
        [...names.keys()].map(async (node) => names.set(node, await nameOf(space, node))),
      );
      return map(tree, (node) =>
        node.kind === 'mention' && names.has(node)
          ? mention(PLATFORM, node.target, node.id, names.get(node))
          : node,
      );
    },
  };
};
