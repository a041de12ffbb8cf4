import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { Content } from '../../../../src/model/message.ts';
import type { Platform } from '../../../../src/ports/platform.ts';
import type { RoomChoices } from '../../../../src/model/room.ts';
import type { VoiceServices } from '../../../../src/voice/room-types.ts';
import type { RoomMember } from '../../../../src/ports/voice.ts';
import { createNotice } from '../../../../src/voice/consent/notice.ts';
import { createRoomTexts } from '../../../../src/voice/texts.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { markdownOf } from '../../../fakes/rich-text.ts';
import { channelOf, human } from '../../../fakes/voice-port.ts';
import { realTexts as texts } from '../../../fakes/texts.ts';

const ROOM = channelOf('room');
const SPOKEN_MS = 4_000;

interface Setting {
  readonly space?: string;
  readonly captions?: readonly string[];
  readonly askedIn?: string;
  readonly own?: Readonly<Record<string, string>>;
  readonly isSpoken?: boolean;
}

const setUp = ({
  space = 'en',
  captions = [],
  askedIn = 'en',
  own = {},
  isSpoken = true,
}: Setting = {}) => {
  const clock = createTestClock();
  const posts: Content[] = [];
  const edits: Content[] = [];
  const spoken: { locale: string; text: string }[] = [];
  const state = { isDeleted: false };
  const notice = createNotice(
    {
      room: {
        services: {
          settings: {
            of: async ({ id }: { id: string }) => (own[id] ? { language: own[id] } : {}),
          },
        } as unknown as VoiceServices,
        platform: {
          post: async (channel, content) => {
            posts.push(content);
            return { channel, ids: [`m${posts.length}`] };
          },
          edit: async (posted, content) => {
            if (state.isDeleted) throw new AppError('not-found', 'deleted');
            edits.push(content);
            return posted;
          },
        } as Partial<Platform> as Platform,
        channel: () => ROOM,
        choices: () => ({ spokenNotice: isSpoken }) as RoomChoices,
        texts: createRoomTexts(texts, askedIn, 'plain'),
        clock,
      },
      speaking: {
        announce: async (said) => {
          spoken.push(said);
          const { promise, resolve } = Promise.withResolvers<void>();
          clock.after(SPOKEN_MS, resolve);
          await promise;
        },
      },
      spaceLanguage: () => space,
      captionLanguages: () => captions,
    },
    { use: 'captions', rule: 'told' },
  );
  const told: string[] = [];
  const inform = async (...members: RoomMember[]): Promise<void> => {
    const { understood } = await notice.inform(members);
    void understood.then(() => told.push(...members.map(({ id }) => id)));
    await clock.advance(0);
  };
  return { clock, notice, posts, edits, spoken, state, told, inform };
};

const textOf = (content: Content | undefined): string => markdownOf(content?.text ?? []);
const noticeIn = (locale: string): string =>
  markdownOf(texts.rich(locale)('room.notice')).slice(0, 20);

describe('the notice', () => {
  it('is in the languages of the space, the captions and the caller, not of the caller alone', async () => {
    const { inform, posts } = setUp({ captions: ['de'], askedIn: 'ja' });
    await inform(human('ann'));
    for (const locale of ['en', 'de', 'ja']) expect(textOf(posts[0])).toContain(noticeIn(locale));
    expect(posts[0]!.controls?.map((control) => 'label' in control && control.label)).toEqual([
      ['en', 'de', 'ja'].map((locale) => texts.in(locale)('room.caption-me')).join(' · '),
      ['en', 'de', 'ja'].map((locale) => texts.in(locale)('room.leave-me-out')).join(' · '),
    ]);
  });

  it('is in the languages that those present chose, and in three at most', async () => {
    const { inform, posts } = setUp({ own: { ann: 'ko', bob: 'es', cyd: 'fr' } });
    await inform(human('ann'), human('bob'), human('cyd'));
    for (const locale of ['en', 'ko', 'es']) expect(textOf(posts[0])).toContain(noticeIn(locale));
    expect(textOf(posts[0])).not.toContain(noticeIn('fr'));
  });

  it('is spoken once, in the first language of the captions, or else of the space', async () => {
    const captioned = setUp({ captions: ['de', 'ja'], askedIn: 'ko' });
    await captioned.inform(human('ann'));
    expect(captioned.spoken.map(({ locale }) => locale)).toEqual(['de']);
    const plain = setUp({ space: 'fr', askedIn: 'ja' });
    await plain.inform(human('ann'));
    expect(plain.spoken).toEqual([{ locale: 'fr', text: texts.in('fr')('room.spoken-notice') }]);
  });

  it('for eight newcomers within a minute is one message and one spoken notice', async () => {
    const { clock, inform, posts, edits, spoken, told } = setUp();
    await inform(human('ann'));
    expect(told).toEqual([]);
    await clock.advance(SPOKEN_MS);
    expect(told).toEqual(['ann']);
    for (let at = 0; at < 8; at += 1) {
      await inform(human(`p${at}`));
      expect(told).toContain(`p${at}`);
      await clock.advance(5_000);
    }
    expect([posts.length, edits.length]).toEqual([2, 7]);
    expect(textOf(edits.at(-1))).toContain('p0, p1, p2, p3, p4, p5, p6, p7');
    await clock.advance(120_000);
    expect(spoken).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });

  it('for a newcomer after a minute is spoken before they are told', async () => {
    const { clock, inform, told, spoken } = setUp();
    await inform(human('ann'));
    await clock.advance(SPOKEN_MS + 60_000);
    await inform(human('bob'));
    expect(spoken).toHaveLength(2);
    expect(told).toEqual(['ann']);
    await clock.advance(SPOKEN_MS);
    expect(told).toEqual(['ann', 'bob']);
  });

  it('is posted anew where somebody deleted it, or when it is old', async () => {
    const { clock, inform, posts, state } = setUp({ isSpoken: false });
    for (const id of ['ann', 'bob']) await inform(human(id));
    state.isDeleted = true;
    await inform(human('cyd'));
    expect(posts).toHaveLength(3);
    state.isDeleted = false;
    await clock.advance(600_000);
    await inform(human('dan'));
    expect(posts).toHaveLength(4);
    expect(textOf(posts[3])).not.toContain('cyd');
  });

  it('is not spoken any more once it is over', async () => {
    const { clock, inform, notice, spoken } = setUp();
    await inform(human('ann'));
    await clock.advance(SPOKEN_MS);
    await inform(human('bob'));
    notice[Symbol.dispose]();
    await clock.advance(120_000);
    expect(spoken).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });
});
