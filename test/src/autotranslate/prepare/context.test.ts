import { describe, expect, it } from 'vitest';
import { createTranslationContext } from '../../../../src/autotranslate/prepare/context.ts';
import { refOf } from '../../store/inbox/support.ts';

describe('what was said before', () => {
  it('is turns oldest first, place by place', () => {
    const context = createTranslationContext();
    context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(1), text: 'one' });
    context.next('b', { writtenMs: 0, authorId: 'ada', ref: refOf(2), text: 'elsewhere' });
    expect(
      context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(3), text: 'two' }),
    ).toEqual(['one']);
    expect(
      context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(4), text: 'three' }),
    ).toEqual(['one', 'two']);
  });

  it('is at most 2,000 code points with the breaks between, the newest kept', () => {
    const context = createTranslationContext();
    context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(1), text: 'old' });
    context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(2), text: '🙂'.repeat(1_500) });
    context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(3), text: 'x'.repeat(498) });
    expect(context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(4), text: '' })).toEqual([
      '🙂'.repeat(1_500),
      'x'.repeat(498),
    ]);
    context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(5), text: 'y' });
    expect(context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(6), text: '' })).toEqual([
      'x'.repeat(498),
      '',
      'y',
    ]);
  });

  it('is the last few turns, however short they are', () => {
    const context = createTranslationContext();
    for (let id = 0; id < 100; id += 1)
      context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(id), text: `${id}` });
    const turns = context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(100), text: '' });
    expect(turns.length).toBeLessThan(20);
    expect(turns.at(-1)).toBe('99');
  });

  it('does not tell a message of its own former state', () => {
    const context = createTranslationContext();
    context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(1), text: 'befor' });
    expect(
      context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(1), text: 'before' }),
    ).toEqual([]);
  });

  it('forgets what was taken back, and everything of somebody who is to be forgotten', () => {
    const context = createTranslationContext();
    context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(1), text: 'one' });
    context.next('a', { writtenMs: 0, authorId: 'bob', ref: refOf(2), text: 'two' });
    context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(3), text: 'three' });
    context.forget(refOf(1));
    expect(
      context.next('a', { writtenMs: 0, authorId: 'bob', ref: refOf(4), text: 'four' }),
    ).toEqual(['two', 'three']);
    context.forget({ platform: 'test', id: 'bob' });
    expect(context.next('a', { writtenMs: 0, authorId: 'ada', ref: refOf(5), text: '' })).toEqual([
      'three',
    ]);
  });

  it('forgets the places that were quiet for longest', () => {
    const context = createTranslationContext();
    for (let place = 0; place < 1_001; place += 1)
      context.next(`${place}`, { writtenMs: 0, authorId: 'ada', ref: refOf(1), text: 'x' });
    expect(context.next('0', { writtenMs: 0, authorId: 'ada', ref: refOf(2), text: '' })).toEqual(
      [],
    );
    expect(
      context.next('1000', { writtenMs: 0, authorId: 'ada', ref: refOf(2), text: '' }),
    ).toEqual(['x']);
  });
});
