import { isGone } from '../errors.ts';
import { CONTENT_CHARS } from '../limits.ts';
import type { Finder, Found } from './find.ts';
import {
  partsOf,
  readSections,
  replaceSection,
  sectionOf,
  withoutSource,
  withoutVoice,
  type WriterKind,
  writeSections,
} from './parts.ts';
import { createSharedMessages, type SharedMessagesDeps } from './shared-messages.ts';
import { BY_BOT, ownPost, type OwnPost } from '../ids.ts';
import { isHookGone, isFinal, syncParts } from '../outbound/message-writer.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { MessageRef } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/mirrors.ts';

/** Changes existing mirrors. */
export interface MirrorEditor {
  /**
   * Rewrites a mirror; resolves with its new place, or with undefined where it could only be
   * deleted because the webhook that wrote it is gone. Rejects with `not-found` when it was deleted
   * before.
   */
  rewrite(former: OwnPost, mirror: Mirror): Promise<OwnPost | undefined>;
  /** Deletes the mirror of one source; other mirrors in the same messages stay. */
  erase(former: OwnPost, source: MessageRef): Promise<void>;
}

const writerOf = ({ handle }: OwnPost): WriterKind =>
  handle.webhookId === undefined ? 'bot' : 'webhook';

/** True when the text found is that of the mirror; Discord trims what it stores. */
export const says = ({ post, contents }: Extract<Found, { contents: unknown }>, mirror: Mirror) => {
  const [content = ''] = contents;
  if (post.handle.shared) {
    const wanted = sectionOf(mirror, writerOf(post))?.text;
    return readSections(content).some(({ text }) => text.trim() === wanted?.trim());
  }
  const { texts } = partsOf(mirror, writerOf(post));
  const wanted = texts.map((part) => part.content.trim());
  return wanted.join('\0') === contents.map((each) => each.trim()).join('\0');
};

export const createMirrorEditor = (
  deps: SharedMessagesDeps & { readonly finder: Finder },
): MirrorEditor => {
  const { outbox, finder, writers } = deps;
  const shared = createSharedMessages(deps);

  const erase: MirrorEditor['erase'] = async (former, source) => {
    try {
      if (former.handle.shared) {
        const found = await shared.find(former, source);
        await shared.show(found, withoutSource(found.sections, source));
      } else await writers.erase(former);
    } catch (thrown) {
      if (!isGone(thrown) && toAppError(thrown).code !== 'not-found') throw thrown;
    }
    outbox.forget(source);
  };

  const rewriteMessages = async (former: OwnPost, mirror: Mirror): Promise<OwnPost> => {
    const { channel, ids, handle } = former;
    const replyTo = mirror.as ? undefined : mirror.source;
    const writer = await writers.of(former, { persona: mirror.as, replyTo });
    // A voice message cannot be edited, and no message can become one.
    const voice = handle.voice ? ids.slice(0, 1) : [];
    const shown = mirror.as && !handle.voice ? withoutVoice(mirror) : mirror;
    const { texts } = partsOf(shown, writerOf(former));
    const isMore = voice.length + texts.length > ids.length;
    // When a mirror grows, an interrupted try may have posted some of the parts to be added.
    const all = isMore ? new Set([...ids, ...(await finder.parts(former, mirror))]) : new Set(ids);
    const now = await syncParts(writer, [...all].slice(voice.length), texts);
    return ownPost(channel, [...voice, ...now], handle);
  };

  const rewriteOwn = async (former: OwnPost, mirror: Mirror): Promise<OwnPost | undefined> => {
    try {
      return await rewriteMessages(former, mirror);
    } catch (thrown) {
      if (!isHookGone(thrown)) throw thrown;
      await writers.erase(former);
      outbox.forget(mirror.source);
      return undefined;
    }
  };

  const rewriteShared = async (former: OwnPost, mirror: Mirror): Promise<OwnPost | undefined> => {
    const { source } = mirror;
    const found = await shared.find(former, source);
    const { post, sections } = found;
    const rest = withoutSource(sections, source);
    if (rest.length === sections.length) throw new AppError('not-found', 'a mirror was deleted');
    const changed = sectionOf(mirror, writerOf(post));
    const now = changed && replaceSection(sections, changed, source);
    if (now && writeSections(now).length <= CONTENT_CHARS) return shared.show(found, now);
    if (rest.length === 0)
      return rewriteOwn({ ...post, handle: { ...post.handle, shared: false } }, mirror);
    // The section no longer fits: it gets a message of its own, in place of any that an interrupted
    // try left.
    const { channel, ids } = post;
    for (const id of await finder.alone(channel, mirror, ids[0]))
      await writers.erase(ownPost(channel, [id], BY_BOT));
    const own = await outbox.postAlone(channel, mirror);
    try {
      await shared.show(found, rest);
    } catch (thrown) {
      if (isFinal(thrown)) await erase(own, source);
      throw thrown;
    }
    return own;
  };

  return {
    rewrite: async (former, mirror) =>
      former.handle.shared ? rewriteShared(former, mirror) : rewriteOwn(former, mirror),
    erase,
  };
};
