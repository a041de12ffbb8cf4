import { isGone, isRefusal } from '../errors.ts';
import { CONTENT_CHARS } from '../limits.ts';
import type { Finder, FoundMirror } from './find.ts';
import type { OwnMessages } from './own-messages.ts';
import {
  partsOf,
  readSections,
  replaceSection,
  sectionOf,
  withoutQuote,
  withoutSource,
  withoutVoice,
  writeSections,
  footersIn,
  formOf,
  type FooterForm,
  isOfSource,
  type WriterKind,
  type Section,
} from './parts.ts';
import { BY_BOT, ownPost, channelIdOf, type OwnPost } from '../ids.ts';
import { asStanding, isHookGone, isFinal, syncParts } from '../outbound/message-writer.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { MessageRef, Channel } from '../../../src/model/place.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';
import type { Mirror, Persona, UpdateOptions } from '../../../src/ports/mirrors.ts';
import { RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Api } from '../api.ts';
import { avatarOf, type RawMessage } from '../inbound/message-reader.ts';
import { sectionsPart, type Outbox } from './outbox.ts';
import type { Writers } from './writers.ts';
import { createLru } from '../../../src/async/lru.ts';

interface SharedMessage {
  readonly post: OwnPost;
  readonly sections: readonly Section[];
  /** The author's name and picture under which it was posted. */
  readonly by: Persona;
}

export interface SharedMessagesDeps {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly ownMessages: OwnMessages;
  readonly writers: Writers;
}

/**
 * Messages posted again that are remembered; others are searched for among the channel's last
 * messages.
 */
const MOVED_POSTS = 5_000;

const holds = ({ content }: RawMessage, source: MessageRef): boolean =>
  footersIn(content).some(({ line, parts }) => parts === 1 && isOfSource(line, source));

const read = (raw: RawMessage, channel: Channel): SharedMessage => ({
  post: ownPost(channel, [raw.id], { shared: true, voice: false, webhookId: raw.webhook_id }),
  sections: readSections(raw.content),
  by: { name: raw.author.username, avatarUrl: avatarOf(raw.author, undefined) },
});

const createSharedMessages = (deps: SharedMessagesDeps) => {
  const { api, outbox, ownMessages, writers } = deps;
  /** Current ids of messages that were posted again, by their former ids. */
  const moved = createLru<string, readonly string[]>(MOVED_POSTS);

  /** Finds the message with this id, or the one posted in its place, even repeatedly. */
  const follow = async (
    channel: Channel,
    id: string,
    source: MessageRef,
  ): Promise<RawMessage | undefined> => {
    try {
      const route = Routes.channelMessage(channelIdOf(channel), id);
      const raw = await api.send<RawMessage>('GET', route);
      if (holds(raw, source)) return raw;
    } catch (thrown) {
      if (!isRefusal(thrown, RESTJSONErrorCodes.UnknownMessage)) throw thrown;
    }
    for (const anew of moved.get(id) ?? []) {
      const found = await follow(channel, anew, source);
      if (found) return found;
    }
    return undefined;
  };

  const repost = async (
    { post: former, by }: SharedMessage,
    sections: readonly Section[],
    held: WhileHeld,
  ): Promise<OwnPost> => {
    const { channel, ids } = former;
    const footers = new Set(sections.map(({ footer }) => footer));
    // An interrupted try may have posted them already.
    for await (const raw of ownMessages.recent(channel, [])) {
      const other = read(raw, channel);
      const isIt =
        other.sections.length > 0 && other.sections.every(({ footer }) => footers.has(footer));
      if (isIt && raw.id !== ids[0]) await writers.erase(other.post, held);
    }
    const anew: OwnPost[] = [];
    try {
      for await (const one of outbox.repost(channel, sections, by, held)) anew.push(one);
      await writers.erase(former, held);
    } catch (thrown) {
      for (const one of anew) await writers.erase(one, held);
      throw thrown;
    }
    moved.set(
      ids[0],
      anew.map((one) => one.ids[0]),
    );
    return anew[0] as OwnPost;
  };

  return {
    /** Finds the message that holds a mirror now; rejects with `not-found` when it is gone. */
    find: async ({ channel, ids: [id] }: OwnPost, source: MessageRef): Promise<SharedMessage> => {
      const found = await follow(channel, id, source);
      if (found) return read(found, channel);
      for await (const other of ownMessages.recent(channel, [source]))
        if (holds(other, source)) return read(other, channel);
      throw new AppError('not-found', 'a mirror was deleted');
    },
    /**
     * Replaces the sections of a message; resolves with its place. Messages of a deleted webhook
     * cannot be changed: the sections are then posted again, and each is found by its footer.
     */
    show: async (
      shared: SharedMessage,
      sections: readonly Section[],
      held: WhileHeld,
    ): Promise<OwnPost> => {
      const { post: former } = shared;
      if (sections.length === 0) {
        await writers.erase(former, held);
        return former;
      }
      try {
        const writer = await writers.of(former, held);
        await writer.rewrite(former.ids[0], sectionsPart(sections));
        return former;
      } catch (thrown) {
        if (!isHookGone(thrown) || former.handle.webhookId === undefined) throw thrown;
        return repost(shared, sections, held);
      }
    },
  };
};

/** The form of a source's footer in a shared message. */
const formIn = (sections: readonly Section[], source: MessageRef): FooterForm =>
  formOf(sections.find(({ footer }) => isOfSource(footer, source))?.footer ?? '');

const writerOf = ({ handle }: OwnPost): WriterKind =>
  handle.webhookId === undefined ? 'bot' : 'webhook';

/** True when the text found is that of the mirror; Discord trims what it stores. */
export const says = (
  { post, contents }: Extract<FoundMirror, { contents: unknown }>,
  mirror: Mirror,
) => {
  const [content = ''] = contents;
  if (post.handle.shared) {
    const standing = readSections(content);
    const expected = sectionOf(mirror, writerOf(post), formIn(standing, mirror.source))?.text;
    return standing.some(({ text }) => text.trim() === expected?.trim());
  }
  const { texts } = partsOf(mirror, writerOf(post));
  const expected = texts.map((part) => part.content.trim());
  return expected.join('\0') === contents.map((each) => each.trim()).join('\0');
};

/** Creates the functions that change existing mirrors. */
export const createMirrorEditor = (deps: SharedMessagesDeps & { readonly finder: Finder }) => {
  const { api, outbox, finder, writers } = deps;
  const shared = createSharedMessages(deps);

  /** Deletes the mirror of one source; other mirrors in the same messages stay. */
  const erase = async (
    former: OwnPost,
    source: MessageRef,
    held: WhileHeld = {},
  ): Promise<void> => {
    try {
      if (former.handle.shared) {
        const found = await shared.find(former, source);
        await shared.show(found, withoutSource(found.sections, source), held);
      } else await writers.erase(former, held);
    } catch (thrown) {
      if (!isGone(thrown) && toAppError(thrown).code !== 'not-found') throw thrown;
    }
    outbox.forget(source);
  };

  /** Takes the quote out of the mirror of one source; a mirror whose webhook is gone is deleted. */
  const unquote = async (former: OwnPost, source: MessageRef, held: WhileHeld): Promise<void> => {
    const { channel, ids, handle } = former;
    if (handle.shared) {
      const found = await shared.find(former, source);
      const sections = found.sections.map((section) =>
        isOfSource(section.footer, source)
          ? { ...section, text: withoutQuote(section.text) }
          : section,
      );
      return void (await shared.show(found, sections, held));
    }
    const id = ids[handle.voice ? 1 : 0] ?? ids[0];
    const route = Routes.channelMessage(channelIdOf(channel), id);
    const { content, attachments } = await api.send<RawMessage>('GET', route);
    try {
      const writer = await writers.of(former, held);
      await writer.rewrite(id, {
        content: withoutQuote(content),
        files: attachments.map(asStanding),
      });
    } catch (thrown) {
      if (!isHookGone(thrown)) throw thrown;
      await erase(former, source, held);
    }
  };

  const rewriteMessages = async (
    former: OwnPost,
    mirror: Mirror,
    { sinceMs, assertHeld }: UpdateOptions,
  ): Promise<OwnPost> => {
    const { channel, ids, handle } = former;
    const replyTo = mirror.as ? undefined : mirror.source;
    const writer = await writers.of(former, { persona: mirror.as, replyTo, assertHeld });
    // A voice message cannot be edited, and no message can become one.
    const voice = handle.voice ? ids.slice(0, 1) : [];
    const shown = mirror.as && !handle.voice ? withoutVoice(mirror) : mirror;
    const { texts } = partsOf(shown, writerOf(former));
    const isMore = voice.length + texts.length > ids.length;
    // When a mirror grows, an interrupted try may have posted some of the parts to be added.
    const added =
      isMore && sinceMs !== undefined ? await finder.parts(former, mirror, sinceMs) : [];
    const all = new Set([...ids, ...added]);
    const now = await syncParts(writer, [...all].slice(voice.length), texts);
    return ownPost(channel, [...voice, ...now], handle);
  };

  const rewriteOwn = async (
    former: OwnPost,
    mirror: Mirror,
    options: UpdateOptions,
  ): Promise<OwnPost | undefined> => {
    try {
      return await rewriteMessages(former, mirror, options);
    } catch (thrown) {
      if (!isHookGone(thrown)) throw thrown;
      await writers.erase(former, { assertHeld: options.assertHeld });
      outbox.forget(mirror.source);
      return undefined;
    }
  };

  const rewriteShared = async (
    former: OwnPost,
    mirror: Mirror,
    options: UpdateOptions,
  ): Promise<OwnPost | undefined> => {
    const { source } = mirror;
    const { sinceMs, ...held } = options;
    const found = await shared.find(former, source);
    const { post, sections } = found;
    const rest = withoutSource(sections, source);
    if (rest.length === sections.length) throw new AppError('not-found', 'a mirror was deleted');
    const changed = sectionOf(mirror, writerOf(post), formIn(sections, source));
    const now = changed && replaceSection(sections, changed, source);
    if (now && writeSections(now).length <= CONTENT_CHARS) return shared.show(found, now, held);
    if (rest.length === 0)
      return rewriteOwn({ ...post, handle: { ...post.handle, shared: false } }, mirror, options);
    // The section no longer fits: it gets a message of its own, in place of any that an interrupted
    // try left.
    const { channel, ids } = post;
    const leftovers =
      sinceMs === undefined ? [] : await finder.alone(channel, mirror, ids[0], sinceMs);
    for (const id of leftovers) await writers.erase(ownPost(channel, [id], BY_BOT), held);
    const own = await outbox.postAlone(channel, mirror, held);
    try {
      await shared.show(found, rest, held);
    } catch (thrown) {
      if (isFinal(thrown)) await erase(own, source, held);
      throw thrown;
    }
    return own;
  };

  return {
    /**
     * Rewrites a mirror; resolves with its new place, or with undefined where it could only be
     * deleted because the webhook that wrote it is gone. Rejects with `not-found` when it was
     * deleted before.
     */
    rewrite: async (
      former: OwnPost,
      mirror: Mirror,
      options: UpdateOptions = {},
    ): Promise<OwnPost | undefined> =>
      former.handle.shared
        ? rewriteShared(former, mirror, options)
        : rewriteOwn(former, mirror, options),
    erase,
    unquote,
  };
};
