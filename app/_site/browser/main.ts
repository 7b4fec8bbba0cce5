import './copy';
import './languages';
import './search';
import './try-it';
