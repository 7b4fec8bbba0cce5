import './copy';
import './languages';
import './try-it';
