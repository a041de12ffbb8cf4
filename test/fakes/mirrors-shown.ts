import { readSections, tagOf } from '../../adapters/discord/mirrors/parts.ts';
import type { FakeMessage } from './discord/index.ts';

/** A translation as it stands: the id of its source, and its words. */
export interface ShownMirror {
  readonly id: string;
  readonly text: string;
}

/** Reads the mirrors in messages on Discord, several of which may stand in one message. */
export const createMirrorsShown = () => {
  /** Ids of sources by the short names under their mirrors. */
  const ids = new Map<string, string>();
  /** Mirrors by the content of a message, which is read once. */
  const read = new Map<string, readonly ShownMirror[]>();

  const sourceOf = (footer: string): string | undefined => {
    const { tag, id } = /`(?<tag>[0-9a-f]{10})`$|\/(?<id>\d+)>\)$/.exec(footer)?.groups ?? {};
    return id ?? ids.get(tag ?? '');
  };

  return {
    /** Makes a source known. */
    note: (guildId: string, channelId: string, messageId: string): void => {
      const channel = { space: { platform: 'discord', id: guildId }, id: channelId };
      ids.set(tagOf({ channel, id: messageId }), messageId);
    },
    in: ({ content }: FakeMessage): readonly ShownMirror[] => {
      const known = read.get(content);
      if (known) return known;
      const found = readSections(content).flatMap(({ footer, text }) => {
        const id = sourceOf(footer);
        return id === undefined ? [] : [{ id, text }];
      });
      read.set(content, found);
      return found;
    },
  };
};
