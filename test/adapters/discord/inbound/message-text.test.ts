import { MessageFlags } from 'discord.js';
import { describe, expect, it } from 'vitest';
import {
  createMessageReader,
  isReadable,
  type RawMessage,
} from '../../../../adapters/discord/inbound/message-reader.ts';
import { channelOf } from '../../../../adapters/discord/ids.ts';
import type { Message } from '../../../../src/model/message.ts';
import { emoji, item, bulleted, paragraph, text } from '../../../../src/rich-text/rich-text.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';

const CHANNEL = channelOf('10', '20');
const reader = createMessageReader({
  application: () => ({ id: '1', botId: '2' }),
  openFile: ({ sizeBytes }) => ({ sizeBytes, async *open() {} }),
  renew: async () => undefined,
});

const rawOf = (more: object): RawMessage =>
  ({
    id: '30',
    type: 0,
    content: '',
    attachments: [],
    embeds: [],
    author: { id: '40', username: 'herald', bot: true },
    ...more,
  }) as unknown as RawMessage;

const read = (more: object): Message => reader.read(rawOf(more), CHANNEL);
const wordsOf = (more: object): string => plainText(read(more).text);

describe('what other bots write', () => {
  it('is read in the authors and footers of embeds', () => {
    const embed = {
      type: 'rich',
      author: { name: 'The Daily' },
      title: 'Rain',
      description: '**All** day.',
      fields: [{ name: 'Where', value: 'here' }],
      footer: { text: 'By Ann' },
    };
    expect(wordsOf({ embeds: [embed] })).toBe('The Daily\nRain\nAll day.\nWhere\nhere\nBy Ann');
  });

  it('is read in Components V2, in their order, without buttons', () => {
    const components = [
      { type: 10, content: '# News' },
      {
        type: 17,
        components: [
          {
            type: 9,
            components: [{ type: 10, content: 'It *rains*.' }],
            accessory: { type: 11, media: { url: 'https://x.y/z.png' }, description: 'A cloud' },
          },
          { type: 12, items: [{ media: { url: 'https://x.y/a.png' }, description: 'A map' }] },
          { type: 14 },
          { type: 1, components: [{ type: 2, style: 5, label: 'More', url: 'https://x.y' }] },
        ],
      },
      { type: 99, components: [{ type: 10, content: 'Later.' }] },
    ];
    const more = { components, flags: MessageFlags.IsComponentsV2 };
    expect(wordsOf(more)).toBe('News\nIt rains.\nA cloud\nA map\nLater.');
    expect(isReadable(rawOf(more))).toBe(true);
  });

  it('is read in polls with their emoji', () => {
    const answers = [
      { poll_media: { text: 'Tea', emoji: { id: null, name: '🍵' } } },
      { poll_media: { text: 'Mate', emoji: { id: '77', name: 'mate' } } },
      { poll_media: { emoji: { name: '☕' } } },
      { poll_media: { text: 'None' } },
    ];
    expect(read({ poll: { question: { text: 'What?' }, answers } }).text).toEqual([
      paragraph(text('What?')),
      bulleted(
        item([text('🍵 Tea')]),
        item([emoji('discord', '77', 'mate'), text(' Mate')]),
        item([text('☕')]),
        item([text('None')]),
      ),
    ]);
  });
});

describe('the news of a followed channel', () => {
  it('are by people, though a webhook brings them', () => {
    const news = { webhook_id: '50', content: 'Rain', flags: MessageFlags.IsCrosspost };
    expect(read(news)).toMatchObject({ author: { kind: 'person' }, text: rich('Rain') });
    expect(read({ ...news, flags: 0 }).author.kind).toBe('bot');
  });

  it('are still ours where we wrote them', () => {
    const own = { webhook_id: '50', application_id: '1', flags: MessageFlags.IsCrosspost };
    expect(read(own).author.kind).toBe('ourselves');
  });
});
