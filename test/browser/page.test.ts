import { describe } from 'vitest';
import { testComposing } from './composing.ts';
import { testLooks } from './looks.ts';
import { testMedia } from './media.ts';
import { testPressing } from './pressing.ts';
import { testPrefix } from './prefix.ts';
import { useBrowser, useSharedPage } from './open-page.ts';
import { testTalking } from './talking.ts';

// One file, so that one browser serves all that share a page.
const open = useBrowser();
const shared = useSharedPage(open, {
  permissions: ['clipboard-read', 'clipboard-write'],
  timezoneId: 'Asia/Tokyo',
});

describe('talking', () => testTalking(shared, open));
describe('composing', () => testComposing(shared));
describe('media', () => testMedia(shared));
describe('pressing', () => testPressing(shared));
describe('a path of its own', () => testPrefix(open));
describe('looks', () => testLooks(shared, open));
