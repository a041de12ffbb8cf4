import { parseDiscord } from '../../adapters/discord/rich-text/parse.ts';
import { renderDiscord } from '../../adapters/discord/rich-text/render.ts';
import type { Content } from '../../src/model/message.ts';
import type { Channel } from '../../src/model/place.ts';
import { OWN, type RichText } from '../../src/rich-text/rich-text.ts';
import { map } from '../../src/rich-text/walk.ts';
import type { Capabilities, Platform } from '../../src/ports/platform.ts';

export const FAKE_CAPABILITIES: Capabilities = {
  choices: 25,
  controlRows: 5,
  rowButtons: 5,
  labelChars: 80,
  roles: true,
  fileBytes: 10 * 1_048_576,
};

const PORTS = {
  voice: {},
  mirrors: {},
  // Readers of a channel know its name.
  feed: {
    named: async ({ id }: Channel, text: RichText) =>
      map(text, (node) =>
        node.kind === 'mention' && node.id === id ? { ...node, name: `name of ${id}` } : node,
      ),
  },
};

/** A platform of which only the name, the limits and which ports it has are ever asked for. */
export const fakePlatform = (
  name: string,
  ports: readonly ('voice' | 'feed' | 'mirrors')[] = [],
): Platform =>
  ({
    name,
    capabilities: FAKE_CAPABILITIES,
    ...Object.fromEntries(ports.map((port) => [port, PORTS[port]])),
  }) as Platform;

/** A tree whose mentions and custom emoji belong to another platform. */
const movedTo = (platform: string, tree: RichText): RichText =>
  map(tree, (node) =>
    (node.kind === 'mention' && node.platform !== OWN) || node.kind === 'emoji'
      ? { ...node, platform }
      : node,
  );

/** Reads what is typed on a fake platform: its markup is Discord's. */
export const readOn =
  (platform: string) =>
  (typed: string): RichText =>
    movedTo(platform, parseDiscord(typed));

/** Content with its text in the markup of a fake platform. */
export type Shown = Omit<Content, 'text'> & { readonly text: string };

export const shownOf = (content: Content): Shown => ({
  ...content,
  text: renderDiscord(movedTo('discord', content.text), { mayNotify: () => true }),
});
