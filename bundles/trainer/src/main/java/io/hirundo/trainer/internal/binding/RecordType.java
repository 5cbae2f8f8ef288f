package io.hirundo.trainer.internal.binding;

import io.hirundo.strategy.Setting;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A record of settings.
 *
 * @param type the record, of any bundle: members of private packages are reached by reflection
 * @param components its settings, in order
 */
public record RecordType<T extends Record>(Class<T> type, List<Component> components) {
  /**
   * One setting.
   *
   * @param name of the component
   * @param type what it holds
   * @param description one line
   * @param mustBeGiven whether the author of the record asks for it
   * @param nullable whether null is allowed where it is not the default
   * @param accessor of the record
   */
  public record Component(
      String name, ValueType type, String description, boolean mustBeGiven, boolean nullable, Method accessor) {
    /** The component's value; null without a record. */
    public Object of(Record record) {
      try {
        return record == null ? null : accessor.invoke(record);
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException("cannot read " + accessor, e);
      }
    }
  }

  public static <T extends Record> RecordType<T> of(Class<T> type) {
    return new RecordType<>(type, Arrays.stream(type.getRecordComponents()).map(RecordType::component).toList());
  }

  private static Component component(RecordComponent component) {
    Setting setting = component.getAnnotation(Setting.class);
    component.getAccessor().setAccessible(true);
    return new Component(
        component.getName(),
        ValueType.of(component),
        setting == null ? "" : Spelling.sentence(setting.value()),
        setting != null && setting.required(),
        setting != null && setting.nullable(),
        component.getAccessor());
  }

  public List<String> names() {
    return components.stream().map(Component::name).toList();
  }

  /**
   * Whether a document has to give a component.
   *
   * @param defaults that hold here: what a record cannot know by itself, the record around it may state for it; or null
   */
  public boolean demands(Component component, Record defaults) {
    Object own = component.of(defaults());
    return defaults == null || (component.mustBeGiven() && Objects.equals(component.of(defaults), own));
  }

  /** Whether a document may say null for a component. */
  public boolean mayBeNull(Component component, Record defaults) {
    return component.nullable() || (!demands(component, defaults) && component.of(defaults) == null);
  }

  /** What the constructor without arguments states; null where there is none, then everything must be given. */
  public T defaults() {
    return hasDefaults() ? construct(new Class<?>[0]) : null;
  }

  private boolean hasDefaults() {
    return Arrays.stream(type.getDeclaredConstructors()).anyMatch(c -> c.getParameterCount() == 0);
  }

  /**
   * Makes a record.
   *
   * @throws RuntimeException what the record's constructor throws
   */
  T make(Object[] values) {
    Class<?>[] types = Arrays.stream(type.getRecordComponents()).map(RecordComponent::getType).toArray(Class<?>[]::new);
    return construct(types, values);
  }

  private T construct(Class<?>[] types, Object... values) {
    try {
      Constructor<T> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException refused) {
        throw refused;
      }
      throw new IllegalStateException("cannot make a " + type.getName(), e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot make a " + type.getName(), e);
    }
  }
}
