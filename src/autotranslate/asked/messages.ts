import type { Message } from '../../model/message.ts';
import { keyOf, type Channel, type MessageRef } from '../../model/place.ts';
import type { RichText } from '../../rich-text/rich-text.ts';
import {
  createMissedMessages,
  type MissedMessagesDeps,
  type MissedMessagesReader,
} from './missed.ts';
import { createSourceTexts, type Copy, type SourceTextDeps } from './source-texts.ts';
import type { ReadTranslations } from './translations.ts';

export interface AskedMessagesDeps extends MissedMessagesDeps, Pick<SourceTextDeps, 'openSources'> {
  readonly translations: ReadTranslations;
}

/** A message that was found, as far as it can be read. */
export type FoundMessage = Pick<Message, 'ref' | 'position'> & Partial<Message>;

/** Reads messages for somebody who asks for them: none of people who opted out, where no other is said. Every method rejects with an `AppError`. */
export interface AskedMessages extends MissedMessagesReader {
  /** Reads a message; undefined where it is gone, or somebody opted out whose words it holds, or had when it was written. */
  read(ref: MessageRef): Promise<Message | undefined>;
  /**
   * Finds the message that a person typed the link or the id of. Undefined where the typed text is neither, leads to another
   * space, or to a channel for which `mayRead` is false. Without its author and words where it is gone.
   */
  find(
    typed: string,
    here: Channel,
    mayRead: (channel: Channel) => Promise<boolean>,
  ): Promise<FoundMessage | undefined>;
  /** Resolves with texts as their authors wrote them: of copies those of their sources, where they can and may be read. */
  written(messages: readonly Copy[], signal: AbortSignal): Promise<readonly RichText[]>;
  /** The address at which people find a message; undefined on platforms without. */
  linkOf(ref: MessageRef): string | undefined;
  /** The same of the thread under a message. */
  threadLinkOf(ref: MessageRef): string | undefined;
  readonly translations: Omit<ReadTranslations, 'forget'>;
}

export const createAskedMessages = (deps: AskedMessagesDeps): AskedMessages => {
  const { platforms, optedOutOf, translations } = deps;
  return {
    ...createMissedMessages(deps),
    read: async (ref) => {
      const message = await platforms.of(ref.channel).feed.read(ref);
      return message && (await optedOutOf(message)).length === 0 ? message : undefined;
    },
    find: async (typed, here, mayRead) => {
      const { feed } = platforms.of(here);
      const { ref, position } = feed.find?.(typed, here) ?? {};
      if (!ref || position === undefined || keyOf(ref.channel.space) !== keyOf(here.space))
        return undefined;
      if (!(await mayRead(ref.channel))) return undefined;
      return (await feed.read(ref)) ?? { ref, position };
    },
    written: createSourceTexts(deps),
    linkOf: (ref) => platforms.of(ref.channel).feed.link?.(ref),
    threadLinkOf: (ref) => platforms.of(ref.channel).feed.threadLink?.(ref),
    translations,
  };
};
