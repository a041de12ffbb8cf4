import { describe } from 'vitest';
import { useBrowser } from './open-page.ts';
import { testPrivacy } from './privacy.ts';
import { testTabs } from './tabs.ts';

// What has pages of its own: beside the other files, so that the whole takes less time.
const open = useBrowser();

describe('privacy', () => testPrivacy(open));
describe('tabs', () => testTabs(open));
