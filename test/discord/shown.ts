import { footersIn, isOfSource } from '../../adapters/discord/mirrors/parts.ts';
import type { MessageRef } from '../../src/model/place.ts';
import type { FakeChannel, FakeMessage } from '../fakes/discord/index.ts';

/** What a channel shows, oldest first. */
export const textsIn = (channel: FakeChannel): string[] =>
  channel.messages.map(({ content }) => content);

/** The replies under a message, in their order. */
export const repliesTo = ({ channel, id }: FakeMessage): readonly FakeMessage[] =>
  channel.messages.filter(({ replyTo }) => replyTo === id);

/** Resolves with the reply under a message, as soon as it says what `holds` wants. */
export const replyTo = async (
  said: FakeMessage,
  holds: (content: string) => boolean = () => true,
): Promise<FakeMessage> => {
  await said.channel.until(() => repliesTo(said).some(({ content }) => holds(content)));
  return repliesTo(said)[0] as FakeMessage;
};

/** The ids of what can be pressed or chosen under a message. */
export const pressesOf = ({ components }: FakeMessage): string[] =>
  components.flatMap((row) =>
    (row['components'] as { custom_id: string }[]).map(({ custom_id: id }) => id),
  );

const refOf = ({ channel, id, url }: FakeMessage): MessageRef => ({
  channel: { space: { platform: 'discord', id: url.split('/').at(-3)! }, id: channel.id },
  id,
});

/** The copies of a message in another channel, by the link or the tag in their footers. */
export const copiesOf = (said: FakeMessage, channel: FakeChannel): readonly FakeMessage[] => {
  const source = refOf(said);
  return channel.messages.filter(({ content }) =>
    footersIn(content).some(({ line }) => isOfSource(line, source)),
  );
};

/** Resolves with the copy of a message in another channel. */
export const copyOf = async (
  said: FakeMessage,
  channel: FakeChannel,
  holds: (content: string) => boolean = () => true,
): Promise<FakeMessage> => {
  await channel.until(() => copiesOf(said, channel).some(({ content }) => holds(content)));
  return copiesOf(said, channel)[0] as FakeMessage;
};

/** The text of a copy without its last line, which says what it is made of. */
export const bodyOf = ({ content }: FakeMessage): string => content.replace(/\n?-# [^\n]*$/, '');

/** True when a text has this part, or something that fits the pattern. */
export const hasPart = (text: string, part: string | RegExp): boolean =>
  typeof part === 'string' ? text.includes(part) : part.test(text);
