/** The stream runtime reads through a narrow port: who keeps these promises on a real broker can be put behind it. */
import { kafka } from '../../wire/index.ts';
import { sourceSuite } from '../contract/source-suite.ts';

sourceSuite('kafkajs', kafka.createSource);
